import { lazy } from '../components/lazy.tsx';
import type { Part, View } from './view.ts';

const LeftOut = lazy(async () => (await import('./add-filter.tsx')).LeftOut, null);

/** The panels of a page, without those that a filter has no numbers of. */
export function Panels({ parts, ...view }: View & { parts: readonly Part[] }) {
  const { filter, projectId } = view;
  const isFiltered = Object.keys(filter).length > 0;
  const seen = parts.filter(
    ({ isPublic, isThere }) => (isPublic || projectId !== null) && (isThere?.(filter) ?? true),
  );
  const shown = seen.filter(({ isAnswered }) => !isFiltered || isAnswered?.(filter));
  const count = seen.length - shown.length;
  return (
    <div class="panels">
      {shown.map(({ name, show: Shown }, index) => (
        <Shown key={name} {...view} isFirst={index === 0} />
      ))}
      {count > 0 && <LeftOut filter={filter} count={count} />}
    </div>
  );
}
