/** What a Connect server may refuse, by a server of our own that refuses it: a token that is missing, a jar. Needs no cluster. */
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import { type Metadata, Server, ServerCredentials, status } from "@grpc/grpc-js";
import { expect, onTestFinished, test } from "vitest";
import { codecOf, type Message, TABLES } from "./connect.js";
import { createSparkEngine } from "./spark-engine.js";

const codec = codecOf(TABLES, { BinaryReader, BinaryWriter });
const SERVICE = "/spark.connect.SparkConnectService/";

type Answer = Message | { readonly refusal: number; readonly details: string };

/** Listens on loopback and answers by `answerTo`; streams of a client are read to their end first. */
async function serverThat(answerTo: (method: string, request: Message, metadata: Metadata) => Answer): Promise<string> {
  const server = new Server();
  const handler = (method: string, request: string, reply: string, requestStream = false) => ({
    path: SERVICE + method,
    requestStream,
    responseStream: false,
    requestSerialize: (value: Message) => Buffer.from(codec.encode(request, value)),
    requestDeserialize: (bytes: Buffer) => codec.decode(request, bytes) as Message,
    responseSerialize: (value: Message) => Buffer.from(codec.encode(reply, value)),
    responseDeserialize: (bytes: Buffer) => codec.decode(reply, bytes) as Message,
  });
  const methods = {
    AnalyzePlan: handler("AnalyzePlan", "AnalyzePlanRequest", "AnalyzePlanResponse"),
    Config: handler("Config", "ConfigRequest", "Nothing"),
    AddArtifacts: handler("AddArtifacts", "AddArtifactsRequest", "AddArtifactsResponse", true),
    ReleaseSession: handler("ReleaseSession", "ReleaseSessionRequest", "Nothing"),
  };
  type Reply = (error: { code: number; details: string } | null, value?: Message) => void;
  const respond = (method: string, request: Message, metadata: Metadata, reply: Reply): void => {
    const found = answerTo(method, request, metadata);
    if ("refusal" in found) reply({ code: found.refusal as number, details: String(found.details) });
    else reply(null, found);
  };
  server.addService(
    methods,
    Object.fromEntries(
      Object.keys(methods).map((method) => [
        method,
        (call: { request: Message; metadata: Metadata; on?: (event: string, received: () => void) => void }, reply: Reply) => {
          if (method !== "AddArtifacts") return respond(method, call.request, call.metadata, reply);
          call.on!("data", () => {});
          call.on!("end", () => respond(method, {}, call.metadata, reply));
        },
      ]),
    ),
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  onTestFinished(() => server.forceShutdown());
  return `sc://127.0.0.1:${port}`;
}

const field = (name: string, type: string): Message => ({ name, dataType: { [type]: {} }, nullable: true });
const TABLE = { schema: { schema: { struct: { fields: [field("row", "long"), field("x", "double"), field("y", "double")] } } } };

test("a server that asks for a token, and none is given: a sentence with the remedy", async () => {
  const connect = await serverThat((_, __, metadata) =>
    metadata.get("authorization").length > 0
      ? { sparkVersion: { version: "4.3.0" } }
      : { refusal: status.UNAUTHENTICATED, details: "no token" },
  );
  const port = connect.split(":").at(-1);
  await expect(createSparkEngine({ connect, table: "t", id: "row" })).rejects.toThrow(
    `Spark at 127.0.0.1:${port} asks for a token. Append it to the address, --connect "sc://127.0.0.1:${port}/;token=…", or set`,
  );
});

test("the token and the headers behind an address go with every request, and no sentence shows the token", async () => {
  const seen: string[] = [];
  const connect = await serverThat((_, __, metadata) => {
    seen.push(`${metadata.get("authorization")} ${metadata.get("x-cluster-id")}`);
    return { refusal: status.UNAUTHENTICATED, details: "no" };
  });
  const place = connect.slice("sc://".length);
  const refused = createSparkEngine({ connect: `${connect}/;token=s3cret;x-cluster-id=17`, table: "t", id: "row" });
  await expect(refused).rejects.toThrow(`Spark at ${place} does not accept the token.`);
  expect(seen[0]).toBe("Bearer s3cret 17");
  await expect(createSparkEngine({ connect: `${connect}/x;token=s3cret`, table: "t", id: "row" })).rejects.toThrow(
    `"${connect}/x;token=TOKEN" is not an address of Spark Connect.`,
  );
});

test.each([
  [status.PERMISSION_DENIED, "artifacts are not allowed here"],
  [status.UNIMPLEMENTED, "no such method"],
])("a server that takes no jar (%i): plain SQL, and a notice that says so", async (refusal, details) => {
  const connect = await serverThat((method, request) => {
    if (method === "AddArtifacts") return { refusal, details };
    return request.schema ? TABLE : { sparkVersion: { version: "4.3.0" } };
  });
  const engine = await createSparkEngine({ connect, table: "t", id: "row" });
  onTestFinished(() => engine.close());
  expect(engine.path).toBe("sql");
  expect(engine.notices).toEqual([`Spark refuses Coterie's jar (${details}), so passes are plain SQL, which is slower.`]);
});
