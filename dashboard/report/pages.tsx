import { clientsPart, unreadPart } from './clients.tsx';
import { declaredParts } from './declared/declared-panel.tsx';
import { eventsPart } from './goal-panels/events.tsx';
import { funnelsPart } from './goal-panels/funnels.tsx';
import { goalsPart } from './goal-panels/goals.tsx';
import { sectionsPart } from './goal-panels/sections.tsx';
import { listsPart } from './lists.tsx';
import { Panels } from './panels.tsx';
import { Report, type Site } from './report.tsx';
import type { Part } from './view.ts';
import { worklistPart } from './worklist.tsx';

/** The pages of numbers besides the overview: their panels, in order. */
const pages = {
  ai: [clientsPart, unreadPart, ...declaredParts('ai')],
  search: declaredParts('search'),
  conversions: [goalsPart, funnelsPart, eventsPart, sectionsPart],
  fix: [worklistPart, ...declaredParts('fix')],
  measurement: [...declaredParts('measurement'), listsPart],
} satisfies Record<string, readonly Part[]>;

export type ReportPageName = keyof typeof pages;

export function ReportPage({ page, ...site }: Site & { page: ReportPageName }) {
  return (
    <Report key={page} {...site}>
      {(view) => <Panels parts={pages[page]} {...view} />}
    </Report>
  );
}
