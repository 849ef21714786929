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

/** Lines of CSV, part by part; the first with the header. */
export function* csvParts({ columns, parts }: DataTable): Generator<string> {
  const header = columns.map(({ name }) => name);
  yield makeCsv(header, []);
  for (const rows of parts()) {
    if (rows.length === 0) continue;
    const text = makeCsv(header, rows);
    yield text.slice(text.indexOf('\r\n') + 2);
  }
}

/** The whole table as Parquet (Snappy), each part a row group. */
export function parquetBytes({ columns, parts }: DataTable): Uint8Array {
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
    if (rows.length > 0) void writer.write({ columnData: sources(rows), rowGroupSize: rows.length });
  }
  void writer.finish();
  return new Uint8Array(bytes.getBuffer());
}
