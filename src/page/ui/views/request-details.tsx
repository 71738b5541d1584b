import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { PageFeatures, PageRequestDetails, ShownMessage, ShownRequest } from "../../model.ts";
import { Button, CopyButton, LinkButton } from "../parts/controls.tsx";
import { Badge, Facts, Moment, StatusCode, Thumbnail } from "../parts/facts.tsx";
import { Icon } from "../parts/icons.tsx";
import { FeaturesButton, Outlined } from "../parts/outlined.tsx";
import { SignatureDifference } from "../parts/signature-difference.tsx";
import { dialogs, featuresOf, imageUrl, loadRequestDetails, report, useLoaded } from "../state/api.ts";
import { curlOf } from "../state/curl.ts";
import { byteCount, count, milliseconds, pictureFacts, refusalLabel, sentence } from "../state/format.ts";
import { addressOf, setParameters } from "../state/route.ts";
import { FinishAll } from "./controls.tsx";

/** Fields with a place of their own on the page. */
const PLACED: readonly string[] = [
  ...["number", "time", "api", "operation", "method", "path", "status", "resultCode", "durationMs"],
  ...["refusedBy", "fault", "cause", "reason", "database", "considered", "otherTargets", "signature"],
  ...["request", "response"],
];

const FAULTS: Readonly<Record<string, string>> = { addFault: "added by a test or on this page" };

export function RequestDetails({ id }: { readonly id: string }) {
  const { value: given } = useLoaded(() => loadRequestDetails(id).catch(() => "gone" as const));
  const isKnown = given !== null && given !== "gone";
  const close = () => {
    document.querySelector<HTMLElement>(".request[aria-current]")?.focus();
    setParameters({ request: undefined });
  };
  useEffect(() => {
    const press = ({ key, target }: KeyboardEvent) => {
      // In a search field, it clears the field first.
      const isTyped = target instanceof HTMLInputElement && target.value !== "" && target.type === "search";
      if (key === "Escape" && dialogs.value.length === 0 && !isTyped) close();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return (
    <section class="details stack" aria-label={isKnown ? `Request ${given.request.number}` : "Loading…"}>
      <header class="row">
        <p class="faint grow">{isKnown && `Request ${given.request.number}`}</p>
        <Button kind="bare" icon="close" label="Close" onClick={close} />
      </header>
      {isKnown ? (
        <Shown details={given} />
      ) : (
        <p class="empty stack faint">
          {given === null ? "Loading…" : "The manager no longer keeps this request."}
        </p>
      )}
    </section>
  );
}

function Shown({ details }: { readonly details: PageRequestDetails }) {
  const { request, images, database } = details;
  const { method, path, status, resultCode, cause, considered, signature } = request;
  return (
    <>
      <header>
        <h2 class="mono">
          <span class="faint">{method}</span> <b>{path}</b>
        </h2>
        <b>
          <StatusCode status={status} /> {resultCode ?? (status === undefined ? "No response" : "")}
        </b>
      </header>
      <Reason request={request} />
      {signature !== undefined && <SignatureDifference signature={signature} />}
      <Facts
        facts={[
          [
            "Operation",
            request.operation === undefined ? "none (unserved path)" : <code>{request.operation}</code>,
          ],
          ["Cause", cause && codesOf(cause).map((code) => <code key={code}>{code} </code>)],
          ["Check", request.refusedBy && <code>{request.refusedBy}</code>],
          ["Database", request.database ?? "none"],
          ["Arrived", <Moment at={request.time} />],
          ["Answered in", milliseconds(request.durationMs)],
          ...Object.entries(request)
            .filter(([name]) => !PLACED.includes(name))
            .map(([name, value]) => [name, JSON.stringify(value)] as const),
        ]}
      />
      {considered !== undefined && <Considered considered={considered} others={request.otherTargets} />}
      <Message
        title="Request"
        message={request.request}
        images={images}
        query={request.request.query}
        shows={considered}
        as={request.api === "query" ? "query" : "target"}
        database={request.database}
      />
      {request.response !== undefined && (
        <Message title="Response" message={request.response} images={images} />
      )}
      {report === null && (
        <div class="row">
          <CopyButton kind="plain" value={curlOf(request, database)} label="Copy as curl" />
        </div>
      )}
    </>
  );
}

const codesOf = ({ code, also = [] }: NonNullable<ShownRequest["cause"]>): readonly string[] => [
  code,
  ...also.map((further) => further.code),
];

function Reason({ request }: { readonly request: ShownRequest }) {
  const { refusedBy, fault, reason } = request;
  if (reason === undefined) return null;
  const isFault = fault !== undefined && refusedBy === undefined;
  return (
    <div class={`callout ${isFault ? "busy" : "bad"}`}>
      <h3 class="tone row">
        <Icon name="warning" />
        {isFault ? `A fault was applied: ${FAULTS[fault] ?? fault}` : refusalLabel(refusedBy)}
      </h3>
      <p>{sentence(reason)}</p>
    </div>
  );
}

interface MessageProps {
  readonly title: string;
  readonly message: ShownMessage;
  readonly images: PageRequestDetails["images"];
  readonly query?: string;
  /** The targets that its picture may show. */
  readonly shows?: ShownRequest["considered"];
  readonly as?: PictureProps["as"];
  readonly database?: string | undefined;
}

function Message({ title, message, images, query = "", shows = [], as = "target", database }: MessageProps) {
  const { headers, size, dropped, fields, json, text: shown, image } = message;
  const pictures = new Set(
    [image, ...(fields ?? []).map((field) => field.image)].filter((each) => each !== undefined),
  );
  return (
    <section class="message stack">
      <h3>{title}</h3>
      <details open={headers.length <= 8}>
        <summary class="faint small">{count(headers.length, "header")}</summary>
        <Facts class="sunken mono" facts={headers} />
      </details>
      {query !== "" && (
        <p class="small">
          <span class="faint">Query</span> <code>?{query}</code>
        </p>
      )}
      {size === 0 ? (
        <p class="faint">No body</p>
      ) : dropped === true ? (
        <p class="faint">{`The body (${byteCount(size)}) is no longer kept`}</p>
      ) : (
        <>
          <p class="faint small">{`Body, ${byteCount(size)}`}</p>
          {fields !== undefined ? (
            <Facts
              class="sunken mono"
              facts={fields.map(({ name, text: value, filename = "" }) => [
                name,
                filename === "" ? value : `${filename} (${value})`,
              ])}
            />
          ) : (
            shown !== "" && (
              <pre class="sunken">{json === undefined ? shown : JSON.stringify(json, null, 2)}</pre>
            )
          )}
          {[...pictures].map((sha256) => (
            <Picture
              key={sha256}
              sha256={sha256}
              facts={images[sha256]}
              shows={shows}
              as={as}
              database={database}
              alt={`Picture in the ${title.toLowerCase()}`}
            />
          ))}
        </>
      )}
    </section>
  );
}

interface PictureProps {
  readonly sha256: string;
  readonly facts: PageRequestDetails["images"][string] | undefined;
  readonly alt: string;
  readonly shows: NonNullable<ShownRequest["considered"]>;
  readonly as: "query" | "target";
  /** Whose targets a query searched. */
  readonly database: string | undefined;
}

function Picture({ sha256, facts, alt, shows, as, database }: PictureProps) {
  const features = useSignal<PageFeatures | null>(null);
  return (
    <figure class="sent-picture stack">
      <a href={imageUrl(sha256) ?? ""} target="_blank" rel="noreferrer" aria-label={alt}>
        <Outlined targets={shows} features={features.value}>
          <Thumbnail sha256={sha256} />
        </Outlined>
      </a>
      {facts !== undefined && <figcaption class="faint">{pictureFacts(facts)}</figcaption>}
      {report === null && as === "query" && (
        <div class="row">
          <LinkButton
            icon="try"
            label="Try this picture"
            href={addressOf("try", { database, picture: sha256 })}
          />
        </div>
      )}
      {report === null && <FeaturesButton features={features} load={() => featuresOf(sha256, as)} />}
    </figure>
  );
}

interface ConsideredProps {
  readonly considered: NonNullable<ShownRequest["considered"]>;
  readonly others: ShownRequest["otherTargets"];
}

const Considered = ({ considered, others = [] }: ConsideredProps) => (
  <section class="stack">
    <h3>Targets that the query considered</h3>
    {considered.length === 0 && <p class="faint">No targets</p>}
    <ol>
      {considered.map(({ targetId, name, matched, why }) => (
        <li key={targetId} class="row">
          <Badge tone={matched ? "good" : "off"} icon={matched ? "done" : "failed"}>
            {matched ? "Matched" : "Not matched"}
          </Badge>
          <span class="grow">
            <b>{name}</b> <span class="faint">{why}</span>
          </span>
        </li>
      ))}
    </ol>
    {report === null && considered.some(({ code }) => code === "target.waiting") && (
      <div class="row">
        <FinishAll label="Finish processing" />
      </div>
    )}
    {others.map(({ why, count: number }) => (
      <p key={why} class="faint">{`and ${count(number, "more target")}: ${why}`}</p>
    ))}
  </section>
);
