import { Mark } from '../components/icon.tsx';
import { t } from '../texts/report.ts';

export function Legend({ of }: { of: 'human' | 'ai' }) {
  return (
    <span>
      <Mark kind={of} /> {of === 'human' ? t.people : t.ai}
    </span>
  );
}
