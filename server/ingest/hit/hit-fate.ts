import type { DropReason } from '../../../shared/hit.ts';

/** Counted as a person's or an AI client's view, dropped for a reason, or not accepted. */
export type HitFate = 'human' | 'ai' | 'overloaded' | DropReason;

export function noFates(): Record<HitFate, number> {
  return {
    human: 0,
    ai: 0,
    overloaded: 0,
    unknown_project: 0,
    invalid: 0,
    not_a_person: 0,
    foreign_host: 0,
    excluded_path: 0,
    excluded_address: 0,
    no_page: 0,
    bot: 0,
    spoofed: 0,
    too_old: 0,
    left_to_script: 0,
    same_view: 0,
    rate_limited: 0,
  };
}
