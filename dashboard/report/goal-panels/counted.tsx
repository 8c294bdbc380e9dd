import { Change } from '../../components/count-cells.tsx';
import { formatCount } from '../../formats/number.ts';

interface CountedProps<Field extends string> {
  row: Record<Field, number | null>;
  /** Field of its name, or several. */
  by: string | readonly string[];
  of: Field;
}

/** A count of a row, with how it has changed. */
export const Counted = <Field extends string>({ row, by, of }: CountedProps<Field>) => (
  <>
    {formatCount(row[of] ?? 0)}
    <Change {...{ row, by, of }} />
  </>
);
