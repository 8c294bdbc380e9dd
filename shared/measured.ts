import type { Measured } from './replies/analytics.ts';

/** What to say in place of a zero that nobody measured; null: it was measured, or nothing tells. */
export function whyUnmeasured({ people, ai }: Measured): { people: string | null; ai: string | null } {
  return {
    people:
      people === false
        ? 'Not measured: your server or log leaves people to the script, and the script sent nothing.'
        : null,
    ai:
      ai === false
        ? 'Not measured: your script sees no AI that runs none. Connect your server or log.'
        : null,
  };
}
