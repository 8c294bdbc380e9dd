import type { ComponentType } from 'preact';
import type { Measure, Measured } from '../../shared/reports/analytics.ts';
import type { Filter } from '../../shared/reports/pairs.ts';
import type { Resource } from '../api/resource.ts';
import type { Range } from '../formats/range.ts';
import type { NamedRows } from './panel.tsx';

/** What somebody looks at, as the address says. */
export interface View {
  /** Address of the project's reports, without a slash at the end. */
  base: string;
  range: Range;
  /** In the project's zone. */
  today: string;
  measure: Measure;
  filter: Filter;
  request: { dateFrom: string | null; dateTo: string; filter: Filter };
  /** Null: it is seen through a share link. */
  projectId: string | null;
  /** What could be counted; undefined: not known yet. */
  measured?: Measured | undefined;
  /** Reports that the page has read already, as they begin. */
  read?: Readonly<Record<string, Resource<NamedRows>>>;
  /** The first panel of a page stays open where others are folded. */
  isFirst?: boolean;
}

/** A panel of a page, by which other pages know nothing of it. */
export interface Part {
  name: string;
  show: ComponentType<View>;
  /** Whether there are numbers of it with a filter; missing: of the whole site alone. */
  isAnswered?: (filter: Filter) => boolean;
  /** Whether there is such a panel with a filter; missing: always. */
  isThere?: (filter: Filter) => boolean;
  /** Whether those with a share link see it, too. */
  isPublic?: boolean;
}
