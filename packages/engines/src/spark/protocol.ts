/**
 * A part of the wire protocol of Spark Connect, by hand: what a client needs that sends SQL and reads Arrow.
 *
 * Names and numbers of messages and fields are those of Apache Spark (sql/connect/common/src/main/protobuf/spark/connect, Apache
 * License 2.0). Fields that are not listed are passed over.
 */
import type { Field, Tables } from "./wire.js";

const text = (number: number): Field => ({ number, type: "string" });
const flag = (number: number): Field => ({ number, type: "bool" });
const whole = (number: number): Field => ({ number, type: "int64" });
const small = (number: number): Field => ({ number, type: "int32" });
const bytes = (number: number): Field => ({ number, type: "bytes" });
const one = (number: number, type: string): Field => ({ number, type });
const many = (number: number, type: string): Field => ({ number, type, repeated: true });
const pairs = (number: number): Field => ({ number, type: "Entry", map: true });

/** Who asks; the number of `clientType` differs from message to message. */
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
  /** google.rpc.Status and ErrorInfo, as they come in the trailer of a failed call. */
  RpcStatus: { code: small(1), message: text(2), details: many(3, "Any") },
  Any: { typeUrl: text(1), value: bytes(2) },
  ErrorInfo: { reason: text(1), domain: text(2), metadata: pairs(3) },
};

/** Of InterruptRequest: by operation. */
export const INTERRUPT_OPERATION = 3;
