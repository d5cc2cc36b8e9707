/** Messages of protocol buffers by tables: each field with its number and type. What a table does not list is passed over. */
import type { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";

/** A scalar, or the name of another message; `repeated` fields are lists, `map` fields are objects of texts. */
export interface Field {
  readonly number: number;
  readonly type: "string" | "bytes" | "bool" | "int32" | "int64" | (string & {});
  readonly repeated?: true;
  readonly map?: true;
}

export type Tables = Readonly<Record<string, Readonly<Record<string, Field>>>>;

/** A message as plain data; int64 is a bigint. */
export type Message = Readonly<Record<string, unknown>>;

export interface Codec {
  encode(name: string, message: Message): Uint8Array;
  decode(name: string, bytes: Uint8Array): Record<string, unknown>;
}

interface Wire {
  readonly BinaryReader: new (bytes: Uint8Array) => BinaryReader;
  readonly BinaryWriter: new () => BinaryWriter;
}

const VARINT = 0;
const LENGTH = 2;

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
