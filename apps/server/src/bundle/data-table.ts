import { setImmediate as breathe } from 'node:timers/promises';
import type { BasicType } from 'hyparquet-writer';
import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import { makeCsv } from '../csv.ts';

export type DataValue = string | number | boolean | null;

export interface DataColumn {
  name: string;
  type: Extract<BasicType, 'STRING' | 'DOUBLE' | 'INT32' | 'BOOLEAN'>;
}

/** A tidy table in parts that fit in memory: one part for each Run. */
export interface DataTable {
  columns: readonly DataColumn[];
  /** Made anew on each call. */
  parts(): Iterable<readonly (readonly DataValue[])[]>;
}

/** Lines of CSV, part by part, with room for others in between; the first with the header. */
export async function* csvParts({ columns, parts }: DataTable): AsyncGenerator<string> {
  const header = columns.map(({ name }) => name);
  yield makeCsv(header, []);
  for (const rows of parts()) {
    if (rows.length === 0) continue;
    const text = makeCsv(header, rows);
    yield text.slice(text.indexOf('\r\n') + 2);
    await breathe();
  }
}

/** The whole table as Parquet (Snappy), each part a row group, with room for others in between. */
export async function parquetBytes({ columns, parts }: DataTable): Promise<Uint8Array> {
  const bytes = new ByteWriter();
  const sources = (rows: readonly (readonly DataValue[])[]) =>
    columns.map(({ name, type }, index) => ({
      name,
      type,
      nullable: true,
      data: rows.map((row) => row[index] ?? null),
    }));
  const writer = new ParquetWriter({
    writer: bytes,
    schema: schemaFromColumnData({ columnData: sources([]) }),
    createdBy: 'mqttlab',
  });
  for (const rows of parts()) {
    if (rows.length > 0) await writer.write({ columnData: sources(rows), rowGroupSize: rows.length });
    await breathe();
  }
  await writer.finish();
  return new Uint8Array(bytes.getBuffer());
}
