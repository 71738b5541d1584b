import createClient from "openapi-fetch";
import * as hey from "./hey-api/sdk.gen.ts";
import * as kubb from "./kubb/index.ts";
import type { paths } from "./openapi-typescript.ts";
import * as orval from "./orval.ts";

/** The headers that the document requires; what sends the requests signs them. */
const headers = { Date: new Date().toUTCString() };
// It would otherwise keep the fetch of now.
const fetched = createClient<paths>({ baseUrl: "http://signed.test", fetch: (request) => fetch(request) });

interface GeneratedClient {
  /** Returns the target's id, or undefined if the target was refused. */
  add(name: string, image: Blob): Promise<string | undefined>;
  /** Returns the ids of the targets that are found. */
  find(image: Blob): Promise<readonly string[]>;
}

const base64 = async (image: Blob) => Buffer.from(await image.arrayBuffer()).toString("base64");

export const CLIENTS: Readonly<Record<string, GeneratedClient>> = {
  "openapi-typescript": {
    async add(name, image) {
      const body = { name, width: 1, image: await base64(image) };
      const { data } = await fetched.POST("/targets", { params: { header: headers }, body });
      return data?.target_id;
    },
    async find(image) {
      const { data } = await fetched.POST("/v1/query", {
        params: { header: headers },
        body: { image: "", max_num_results: 1 },
        bodySerializer: ({ max_num_results }) => {
          const form = new FormData();
          form.append("image", image);
          form.append("max_num_results", String(max_num_results));
          return form;
        },
      });
      return data?.results.map(({ target_id }) => target_id) ?? [];
    },
  },
  "hey-api": {
    async add(name, image) {
      const body = { name, width: 1, image: await base64(image) };
      const { data } = await hey.addTarget({ headers, body });
      return data?.target_id;
    },
    async find(image) {
      const { data } = await hey.query({ headers, body: { image, max_num_results: 1 } });
      return data?.results.map(({ target_id }) => target_id) ?? [];
    },
  },
  orval: {
    async add(name, image) {
      const added = await orval.addTarget({ name, width: 1, image: await base64(image) }, { headers });
      return added.status === 201 ? added.data.target_id : undefined;
    },
    async find(image) {
      const found = await orval.query({ image, max_num_results: 1 }, { headers });
      return found.status === 200 ? found.data.results.map(({ target_id }) => target_id) : [];
    },
  },
  kubb: {
    async add(name, image) {
      const added = await kubb.addTarget({ name, width: 1, image: await base64(image) }, headers);
      return added.target_id;
    },
    async find(image) {
      const found = await kubb.query({ image, max_num_results: 1 }, headers);
      return found.results.map(({ target_id }) => target_id);
    },
  },
};
