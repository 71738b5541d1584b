import type { MockCloudDatabase, MockCloudReco } from "mock-cloud-reco";
import type { DatabaseKeys } from "./backends.ts";
import { type Client, type ClientRequest, type ClientResponse, nodeClient } from "./clients.ts";
import { makePng } from "./png.ts";
import { type SignedParts, signedRequest } from "./signed-request.ts";

export type SessionRequest = Pick<SignedParts, "method" | "path"> & Partial<SignedParts>;

/** Correct requests to the target and query APIs of a mock or of servers, with any mistakes that a test adds. */
export class MockSession<
  Mock extends { readonly urls: Readonly<Record<"target" | "query", string>> } = MockCloudReco,
  Database extends DatabaseKeys = MockCloudDatabase,
> {
  constructor(
    readonly mock: Mock,
    readonly database: Database,
    /** The current time, which dates requests. */
    private readonly now: () => Date = () => new Date(),
    private readonly client: Client = nodeClient,
  ) {}

  target(request: SessionRequest): Promise<ClientResponse> {
    return this.client(this.signedTarget(request));
  }

  signedTarget(request: SessionRequest): ClientRequest {
    const { serverAccessKey: accessKey, serverSecretKey: secretKey } = this.database;
    return signedRequest({
      baseUrl: this.mock.urls.target,
      accessKey,
      secretKey,
      now: this.now(),
      ...request,
    });
  }

  add(fields: Readonly<Record<string, unknown>> = {}): Promise<ClientResponse> {
    const body = { name: "target", width: 1, image: makePng().toString("base64"), ...fields };
    return this.target({ method: "POST", path: "/targets", body });
  }

  query(image: Buffer = makePng(), request: Partial<SignedParts> = {}): Promise<ClientResponse> {
    return this.client(this.signedQuery(image, request));
  }

  signedQuery(image: Buffer = makePng(), request: Partial<SignedParts> = {}): ClientRequest {
    const { clientAccessKey: accessKey, clientSecretKey: secretKey } = this.database;
    const boundary = "b0undary";
    const unsigned = signedRequest({
      method: "POST",
      path: "/v1/query",
      baseUrl: this.mock.urls.query,
      accessKey,
      secretKey,
      now: this.now(),
      contentType: "multipart/form-data",
      body: Buffer.concat([
        Buffer.from(
          `--${boundary}\r\nContent-Disposition: form-data; name="image"; filename="image"\r\n` +
            "Content-Type: application/octet-stream\r\n\r\n",
        ),
        image,
        Buffer.from(`\r\n--${boundary}--\r\n`),
      ]),
      ...request,
    });
    const type = `multipart/form-data; boundary=${boundary}`;
    return { ...unsigned, headers: { ...unsigned.headers, "Content-Type": type } };
  }
}
