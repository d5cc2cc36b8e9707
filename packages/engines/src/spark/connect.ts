/** A small client for Spark Connect: sends SQL and receives Arrow data. It resumes broken streams, and can interrupt operations. */
import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import type { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import type * as Grpc from "@grpc/grpc-js";
import type { Table } from "apache-arrow";

const VARINT = 0;

const LENGTH = 2;

const text = (number: number): Field => ({ number, type: "string" });

const flag = (number: number): Field => ({ number, type: "bool" });

const whole = (number: number): Field => ({ number, type: "int64" });

const small = (number: number): Field => ({ number, type: "int32" });

const bytes = (number: number): Field => ({ number, type: "bytes" });

const one = (number: number, type: string): Field => ({ number, type });

const many = (number: number, type: string): Field => ({ number, type, repeated: true });

const pairs = (number: number): Field => ({ number, type: "Entry", map: true });

/** The fields that identify the client in a message. The field number of `clientType` differs between messages. */
const head = (clientType: number) => ({ sessionId: text(1), userContext: one(2, "UserContext"), clientType: text(clientType) });

export const TABLES: Tables = {
  Entry: { key: text(1), value: text(2) },
  Nothing: {},
  UserContext: { userId: text(1), userName: text(2) },
  Plan: { root: one(1, "Relation"), command: one(2, "Command") },
  Relation: { sql: one(10, "Sql"), localRelation: one(11, "LocalRelation") },
  Sql: { query: text(1) },
  LocalRelation: { data: bytes(1), schema: text(2) },
  Command: { createDataframeView: one(3, "CreateView"), sqlCommand: one(5, "SqlCommand") },
  CreateView: { input: one(1, "Relation"), name: text(2), isGlobal: flag(3), replace: flag(4) },
  SqlCommand: { input: one(6, "Relation") },
  DataType: {
    byte: one(4, "Nothing"),
    short: one(5, "Nothing"),
    integer: one(6, "Nothing"),
    long: one(7, "Nothing"),
    float: one(8, "Nothing"),
    double: one(9, "Nothing"),
    decimal: one(10, "Nothing"),
    string: one(11, "Nothing"),
    boolean: one(3, "Nothing"),
    date: one(14, "Nothing"),
    timestamp: one(15, "Nothing"),
    array: one(20, "Nothing"),
    struct: one(21, "Struct"),
  },
  Struct: { fields: many(1, "StructField") },
  StructField: { name: text(1), dataType: one(2, "DataType"), nullable: flag(3) },
  ExecutePlanRequest: { ...head(4), plan: one(3, "Plan"), requestOptions: many(5, "RequestOption"), operationId: text(6) },
  RequestOption: { reattachOptions: one(1, "ReattachOptions") },
  ReattachOptions: { reattachable: flag(1) },
  ExecutePlanResponse: {
    arrowBatch: one(2, "ArrowBatch"),
    resultComplete: one(14, "Nothing"),
    executionProgress: one(18, "ExecutionProgress"),
    responseId: text(13),
  },
  ArrowBatch: { rowCount: whole(1), data: bytes(2) },
  ExecutionProgress: { stages: many(1, "StageInfo") },
  StageInfo: { numTasks: whole(2), numCompletedTasks: whole(3) },
  ReattachExecuteRequest: { ...head(4), operationId: text(3), lastResponseId: text(5) },
  ReleaseExecuteRequest: { ...head(4), operationId: text(3), releaseAll: one(5, "Nothing") },
  AnalyzePlanRequest: { ...head(3), schema: one(4, "PlanHolder"), sparkVersion: one(10, "Nothing") },
  PlanHolder: { plan: one(1, "Plan") },
  AnalyzePlanResponse: { schema: one(2, "SchemaHolder"), sparkVersion: one(8, "Version") },
  SchemaHolder: { schema: one(1, "DataType") },
  Version: { version: text(1) },
  AddArtifactsRequest: { ...head(6), batch: one(3, "ArtifactBatch") },
  ArtifactBatch: { artifacts: many(1, "Artifact") },
  Artifact: { name: text(1), data: one(2, "ArtifactChunk") },
  ArtifactChunk: { data: bytes(1), crc: whole(2) },
  AddArtifactsResponse: { artifacts: many(1, "ArtifactSummary") },
  ArtifactSummary: { name: text(1), isCrcSuccessful: flag(2) },
  ConfigRequest: { ...head(4), operation: one(3, "ConfigOperation") },
  ConfigOperation: { set: one(1, "ConfigSet") },
  ConfigSet: { pairs: many(1, "Entry") },
  InterruptRequest: { ...head(3), interruptType: small(4), operationId: text(6) },
  ReleaseSessionRequest: { ...head(3) },
  FetchErrorDetailsRequest: { ...head(4), errorId: text(3) },
  FetchErrorDetailsResponse: { rootErrorIdx: small(1), errors: many(2, "ErrorDetail") },
  ErrorDetail: { message: text(2), sparkThrowable: one(5, "SparkThrowable") },
  SparkThrowable: { errorClass: text(1), sqlState: text(4) },
  /** The messages google.rpc.Status and ErrorInfo, which describe the error in the trailer of a failed call. */
  RpcStatus: { code: small(1), message: text(2), details: many(3, "Any") },
  Any: { typeUrl: text(1), value: bytes(2) },
  ErrorInfo: { reason: text(1), domain: text(2), metadata: pairs(3) },
};

/** The value of the field InterruptRequest.interrupt_type that interrupts a single operation. */
const INTERRUPT_OPERATION = 3;

export class SparkError extends Error {
  override readonly name = "SparkError";
  readonly code: number;
  readonly errorClass: string | undefined;

  constructor(message: string, code: number, errorClass?: string) {
    super(message);
    this.code = code;
    this.errorClass = errorClass;
  }
}

export const STATUS = {
  cancelled: 1,
  unknown: 2,
  deadline: 4,
  denied: 7,
  unimplemented: 12,
  unavailable: 14,
  unauthenticated: 16,
} as const;

export interface Address {
  readonly host: string;
  readonly port: number;
  readonly token: string | undefined;
  readonly tls: boolean;
  /** Headers that every request sends, such as the name of the cluster on a shared platform. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The parameters of an address that configure this client. All other parameters become headers. */
const CLIENTS_OWN: ReadonlySet<string> = new Set(["use_ssl", "token", "user_id", "user_agent", "session_id"]);
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/**
 * Parses sc://host:port/;use_ssl=true;token=T, the format of Spark's own clients; the slash is optional. A token is sent only over TLS, or
 * to this machine. An address without a token uses the token in the environment variable that Spark's clients read.
 */
export function addressOf(url: string, variables: Readonly<Record<string, string | undefined>> = {}): Address | null {
  const [, host, port, rest] = /^sc:\/\/(\[[0-9a-fA-F:]+\]|[^/:;[\]]+)(?::(\d{1,5}))?\/?;?([\s\S]*)/.exec(url) ?? [];
  if (host === undefined) return null;
  const given = parametersOf(rest ?? "");
  if (given === null) return null;
  const token = given.get("token") || variables.SPARK_CONNECT_AUTHENTICATE_TOKEN || undefined;
  const asked = given.get("use_ssl")?.toLowerCase() === "true";
  const headers = Object.fromEntries([...given].filter(([name]) => !CLIENTS_OWN.has(name) && !name.startsWith("grpc_")));
  return { host, port: Number(port ?? 15_002), token, tls: asked || (token !== undefined && !LOOPBACK.test(host)), headers };
}

/** Parses name=value;name=value with URL escapes; null if a name or a value is missing, or an escape is wrong. */
function parametersOf(text: string): Map<string, string> | null {
  const found = new Map<string, string>();
  for (const part of text.split(";").filter((each) => each !== "")) {
    const [, name, value] = /^([\w.-]+)=(.+)$/.exec(part) ?? [];
    if (name === undefined) return null;
    try {
      found.set(name, decodeURIComponent(value!));
    } catch {
      return null;
    }
  }
  return found;
}

export interface Column {
  readonly name: string;
  /** The name of the column's type in Spark: double, long, string, … */
  readonly type: string;
}

const TRANSIENT: ReadonlySet<number> = new Set([STATUS.unavailable, STATUS.deadline, STATUS.unknown]);
const MOST_MESSAGE = 256 * 2 ** 20;
const RETRIES = 8;

export class SparkConnect {
  readonly #address: Address;
  readonly #channel: Grpc.Client;
  readonly #meta: Grpc.Metadata;
  readonly #codec: Codec;
  readonly #read: (bytes: Uint8Array) => Table;
  readonly #session = randomUUID();
  readonly #user = { userId: userName(), userName: userName() };
  readonly #signal: AbortSignal | undefined;

  private constructor(
    address: Address,
    grpc: typeof Grpc,
    codec: Codec,
    read: (bytes: Uint8Array) => Table,
    signal?: AbortSignal,
  ) {
    this.#address = address;
    this.#codec = codec;
    this.#read = read;
    this.#signal = signal;
    this.#meta = new grpc.Metadata();
    for (const [name, value] of Object.entries(address.headers)) this.#meta.set(name, value);
    if (address.token !== undefined) this.#meta.set("authorization", `Bearer ${address.token}`);
    const credentials = address.tls ? grpc.credentials.createSsl() : grpc.credentials.createInsecure();
    this.#channel = new grpc.Client(`${address.host}:${address.port}`, credentials, {
      "grpc.max_receive_message_length": MOST_MESSAGE,
      "grpc.max_send_message_length": MOST_MESSAGE,
      "grpc.keepalive_time_ms": 60_000,
    });
  }

  /** Connects to a server. The libraries are loaded on the first call. */
  static async open(address: Address, signal?: AbortSignal): Promise<SparkConnect> {
    const [grpc, wire, arrow] = await Promise.all([
      import("@grpc/grpc-js"),
      import("@bufbuild/protobuf/wire"),
      import("apache-arrow"),
    ]);
    return new SparkConnect(address, grpc, codecOf(TABLES, wire), (bytes) => arrow.tableFromIPC(bytes), signal);
  }

  get address(): Address {
    return this.#address;
  }

  async version(): Promise<string> {
    const found = await this.#ask("AnalyzePlan", "AnalyzePlanRequest", "AnalyzePlanResponse", { sparkVersion: {} });
    return String((found.sparkVersion as Message | undefined)?.version ?? "");
  }

  async schema(sql: string): Promise<Column[]> {
    const plan = { root: { sql: { query: sql } } };
    const found = await this.#ask("AnalyzePlan", "AnalyzePlanRequest", "AnalyzePlanResponse", { schema: { plan } });
    const type = (found.schema as Message | undefined)?.schema as Message | undefined;
    const fields = ((type?.struct as Message | undefined)?.fields ?? []) as readonly Message[];
    return fields.map(({ name, dataType }) => ({ name: String(name), type: Object.keys(dataType as object)[0] ?? "other" }));
  }

  async set(pairs: Readonly<Record<string, string>>): Promise<void> {
    const list = Object.entries(pairs).map(([key, value]) => ({ key, value }));
    await this.#ask("Config", "ConfigRequest", "Nothing", { operation: { set: { pairs: list } } });
  }

  /** Uploads a file to the session. Files under jars/ are on the class path of this session only, on every executor. */
  async addArtifact(name: string, data: Uint8Array): Promise<void> {
    const message = { batch: { artifacts: [{ name, data: { data, crc: BigInt(crc32(data)) } }] } };
    const found = await new Promise<Record<string, unknown>>((resolve, reject) => {
      const call = this.#channel.makeClientStreamRequest(
        pathOf("AddArtifacts"),
        (value: Message) => Buffer.from(this.#codec.encode("AddArtifactsRequest", value)),
        (bytes: Buffer) => this.#codec.decode("AddArtifactsResponse", bytes),
        this.#meta,
        { deadline: Date.now() + 60_000 },
        (error, value) => (error ? reject(error) : resolve(value ?? {})),
      );
      call.write({ ...this.#head(), ...message });
      call.end();
    }).catch((error) => this.#fail(error));
    const summaries = (found.artifacts ?? []) as readonly Message[];
    if (!summaries.every(({ isCrcSuccessful }) => isCrcSuccessful))
      throw new SparkError(`${name} arrived damaged`, STATUS.unknown);
  }

  query(sql: string): AsyncGenerator<Table> {
    return this.#execute({ root: { sql: { query: sql } } });
  }

  async rows(sql: string): Promise<Record<string, unknown>[]> {
    const found: Record<string, unknown>[] = [];
    for await (const table of this.query(sql)) for (const row of table) found.push(row!.toJSON());
    return found;
  }

  /** Runs an SQL statement and ignores its result. when: "always" runs it even if the signal is aborted. */
  async command(sql: string, when: "always" | undefined = undefined): Promise<void> {
    const plan = { command: { sqlCommand: { input: { sql: { query: sql } } } } };
    // At the end of a run, try only once, so that nobody waits for a server that is gone.
    const replies = when === "always" ? this.#execute(plan, null, 1) : this.#execute(plan);
    for await (const _ of replies) void _;
  }

  async createView(name: string, data: Uint8Array): Promise<void> {
    const plan = { command: { createDataframeView: { name, replace: true, input: { localRelation: { data } } } } };
    for await (const _ of this.#execute(plan)) void _;
  }

  async close(): Promise<void> {
    await this.#ask("ReleaseSession", "ReleaseSessionRequest", "Nothing", {}, 10_000).catch(() => undefined);
    this.#channel.close();
  }

  #head(): Message {
    return { sessionId: this.#session, userContext: this.#user, clientType: "coterie" };
  }

  #call(method: string, request: string, reply: string, message: Message, limit: number): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      this.#channel.makeUnaryRequest(
        pathOf(method),
        (value: Message) => Buffer.from(this.#codec.encode(request, value)),
        (bytes: Buffer) => this.#codec.decode(reply, bytes),
        { ...this.#head(), ...message },
        this.#meta,
        { deadline: Date.now() + limit },
        (error, value) => (error ? reject(error) : resolve(value ?? {})),
      );
    });
  }

  #ask(method: string, request: string, reply: string, message: Message, limit = 120_000): Promise<Record<string, unknown>> {
    return this.#call(method, request, reply, message, limit).catch((error) => this.#fail(error));
  }

  #stream(method: string, request: string, message: Message): Grpc.ClientReadableStream<Record<string, unknown>> {
    return this.#channel.makeServerStreamRequest(
      pathOf(method),
      (value: Message) => Buffer.from(this.#codec.encode(request, value)),
      (bytes: Buffer) => this.#codec.decode("ExecutePlanResponse", bytes),
      { ...this.#head(), ...message },
      this.#meta,
    );
  }

  async *#execute(plan: Message, signal: AbortSignal | null = this.#signal ?? null, retries = RETRIES): AsyncGenerator<Table> {
    signal?.throwIfAborted();
    const operationId = randomUUID();
    const first = () =>
      this.#stream("ExecutePlan", "ExecutePlanRequest", {
        plan,
        operationId,
        requestOptions: [{ reattachOptions: { reattachable: true } }],
      });
    const again = (last: string | undefined) =>
      this.#stream("ReattachExecute", "ReattachExecuteRequest", {
        operationId,
        ...(last === undefined ? {} : { lastResponseId: last }),
      });
    const interrupt = (): void => {
      const message = { interruptType: INTERRUPT_OPERATION, operationId };
      this.#call("Interrupt", "InterruptRequest", "Nothing", message, 10_000).catch(() => undefined);
    };
    signal?.addEventListener("abort", interrupt, { once: true });
    let last: string | undefined;
    let complete = false;
    let failures = 0;
    let call = first();
    try {
      while (!complete) {
        try {
          for await (const reply of call as AsyncIterable<Record<string, unknown>>) {
            failures = 0;
            last = reply.responseId as string;
            const batch = reply.arrowBatch as { readonly data: Uint8Array } | undefined;
            // Each batch is a complete Arrow stream with its own schema.
            if (batch) yield this.#read(batch.data);
            else if (reply.resultComplete) complete = true;
          }
          // The server ends long streams on purpose; the client then requests the remaining part.
          if (!complete) call = again(last);
        } catch (thrown) {
          if (complete) break;
          signal?.throwIfAborted();
          const error = thrown as Grpc.ServiceError;
          failures++;
          const isLost = last === undefined && /OPERATION_NOT_FOUND/.test(error.message);
          if (!isLost && (!TRANSIENT.has(error.code) || this.#infoOf(error) || failures > retries)) await this.#fail(error);
          if (isLost && failures > retries) await this.#fail(error);
          await wait(Math.min(50 * 3 ** failures, 5_000));
          // If the request never arrived, send it again. Otherwise request the replies that are still missing.
          call = isLost ? first() : again(last);
        }
      }
    } finally {
      signal?.removeEventListener("abort", interrupt);
      call.on("error", () => {});
      call.cancel();
      const message = { operationId, releaseAll: {} };
      await this.#call("ReleaseExecute", "ReleaseExecuteRequest", "Nothing", message, 10_000).catch(() => undefined);
    }
  }

  async #fail(error: Grpc.ServiceError): Promise<never> {
    this.#signal?.throwIfAborted();
    const info = this.#infoOf(error);
    const said = firstLine(error.details || error.message);
    const id = info?.errorId;
    if (id === undefined) throw new SparkError(said, error.code, info?.errorClass);
    const found = await this.#call(
      "FetchErrorDetails",
      "FetchErrorDetailsRequest",
      "FetchErrorDetailsResponse",
      { errorId: id },
      20_000,
    ).catch(() => undefined);
    const errors = (found?.errors ?? []) as readonly Message[];
    const root = errors[(found?.rootErrorIdx as number | undefined) ?? 0];
    const thrown = root?.sparkThrowable as Message | undefined;
    throw new SparkError(
      firstLine(String(root?.message ?? said)),
      error.code,
      (thrown?.errorClass as string | undefined) ?? info?.errorClass,
    );
  }

  #infoOf({ metadata }: Grpc.ServiceError): Record<string, string> | undefined {
    const [raw] = metadata?.get("grpc-status-details-bin") ?? [];
    if (!(raw instanceof Uint8Array)) return undefined;
    for (const detail of (this.#codec.decode("RpcStatus", raw).details ?? []) as readonly {
      typeUrl: string;
      value: Uint8Array;
    }[]) {
      if (!detail.typeUrl.endsWith("google.rpc.ErrorInfo")) continue;
      return (this.#codec.decode("ErrorInfo", detail.value).metadata ?? {}) as Record<string, string>;
    }
    return undefined;
  }
}

function pathOf(method: string): string {
  return `/spark.connect.SparkConnectService/${method}`;
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0]!.slice(0, 300);
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "coterie";
  }
}

/** The checksum CRC-32 of some bytes. Node has this function only from version 20.15 on. */
function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}

/*
 * Encodes and decodes Protocol Buffers messages. Tables list the fields of each message with their numbers and types; fields that are not
 * listed are skipped.
 */

/** The type of a field: a scalar, or the name of another message. `repeated` fields are lists; `map` fields are objects of texts. */
interface Field {
  readonly number: number;
  readonly type: "string" | "bytes" | "bool" | "int32" | "int64" | (string & {});
  readonly repeated?: true;
  readonly map?: true;
}

type Tables = Readonly<Record<string, Readonly<Record<string, Field>>>>;

/** A Protocol Buffers message as plain data, by field name; an int64 is a bigint. */
export type Message = Readonly<Record<string, unknown>>;

interface Codec {
  encode(name: string, message: Message): Uint8Array;
  decode(name: string, bytes: Uint8Array): Record<string, unknown>;
}

interface Wire {
  readonly BinaryReader: new (bytes: Uint8Array) => BinaryReader;
  readonly BinaryWriter: new () => BinaryWriter;
}

export function codecOf(tables: Tables, { BinaryReader, BinaryWriter }: Wire): Codec {
  const encode = (name: string, message: Message): Uint8Array => {
    const writer = new BinaryWriter();
    for (const [key, value] of Object.entries(message)) {
      const field = tables[name]![key];
      if (!field) throw new Error(`${name} has no field ${key}.`);
      if (value === undefined) continue;
      for (const each of field.repeated ? (value as readonly unknown[]) : [value]) put(writer, field, each);
    }
    return writer.finish();
  };
  const put = (writer: BinaryWriter, { number, type }: Field, value: unknown): void => {
    const isVarint = type === "bool" || type === "int32" || type === "int64";
    writer.tag(number, isVarint ? VARINT : LENGTH);
    if (type === "string") writer.string(value as string);
    else if (type === "bytes") writer.bytes(value as Uint8Array);
    else if (type === "bool") writer.bool(value as boolean);
    else if (type === "int32") writer.int32(value as number);
    else if (type === "int64") writer.int64(value as bigint);
    else writer.bytes(encode(type, value as Message));
  };
  const decode = (name: string, bytes: Uint8Array): Record<string, unknown> => {
    const byNumber = new Map(Object.entries(tables[name]!).map(([key, field]) => [field.number, [key, field] as const]));
    const reader = new BinaryReader(bytes);
    const message: Record<string, unknown> = {};
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      const found = byNumber.get(number);
      if (!found) {
        reader.skip(wireType);
        continue;
      }
      const [key, field] = found;
      const value = take(reader, field);
      if (field.map) {
        const { key: word, value: text } = value as { key: string; value: string };
        message[key] = { ...(message[key] as object | undefined), [word]: text };
      } else if (field.repeated) message[key] = [...((message[key] as unknown[] | undefined) ?? []), value];
      else message[key] = value;
    }
    return message;
  };
  const take = (reader: BinaryReader, { type }: Field): unknown => {
    if (type === "string") return reader.string();
    if (type === "bytes") return reader.bytes();
    if (type === "bool") return reader.bool();
    if (type === "int32") return reader.int32();
    if (type === "int64") return BigInt(reader.int64());
    return decode(type, reader.bytes());
  };
  return { encode, decode };
}
