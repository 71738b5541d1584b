/** Returns the error of a failed request. */
export async function failureOf(request: Promise<unknown>): Promise<unknown> {
  const answer = await request.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("error" in answer) return answer.error;
  throw new Error(`the request did not fail, but gave ${JSON.stringify(answer.value)}`);
}

/** An error, its cause, the cause of that, … */
function* causesOf(error: unknown): Generator<Error> {
  for (let next = error; next instanceof Error; next = next.cause) yield next;
}

export const messagesOf = (error: unknown) => [...causesOf(error)].map(({ message }) => message);
export const codesOf = (error: unknown) => [...causesOf(error)].map((cause) => Reflect.get(cause, "code"));
