import type { DropReason } from '../../shared/hit.ts';
import { judge } from '../identity/judge.ts';
import type { Proofs } from '../identity/proof/proof.ts';
import type { Drop, JudgedHit } from './hit.ts';

/** How far back a report may lie; the salt of an earlier day may be gone. */
const maxAgeMs = 24 * 60 * 60 * 1000;

/** A hit on its way through the steps, with what is known before the first of them; a person's until told otherwise. */
export interface Draft extends JudgedHit {
  /** What time it is, in milliseconds since 1970. */
  now: number;
}

/** Passes the hit on, perhaps with something found out, or says why it is not counted. */
type Step = (draft: Draft, proofs: Proofs) => DropReason | Pick<Drop, 'dropped' | 'family'> | undefined;

const isTimely: Step = ({ at, now }) => (at < now - maxAgeMs ? 'too_old' : undefined);

const isOnOwnHost: Step = ({ project, page }) =>
  project.acceptsHost(page.host) ? undefined : 'foreign_host';

const isWantedPath: Step = ({ project, page }) =>
  project.excludesPath(page.path) ? 'excluded_path' : undefined;

const isWantedAddress: Step = ({ project, hit }) =>
  project.excludesAddress(hit.address) ? 'excluded_address' : undefined;

const isNoBot: Step = (draft, proofs) => {
  const { identity, proof } = judge(draft.hit, proofs);
  if (identity.kind === 'bot') {
    const { spoofed, family } = identity;
    return spoofed === undefined ? { dropped: 'bot', family } : { dropped: 'spoofed', family: spoofed };
  }
  draft.kind = identity.kind;
  draft.client = identity.kind === 'ai' ? { name: identity.client, proof: identity.proof } : null;
  draft.proof = proof;
  return undefined;
};

const isNotLeftToScript: Step = ({ hit, kind }) =>
  hit.leavesPeople && kind === 'human' ? 'left_to_script' : undefined;

/** In this order: what the site's owner excluded is not judged further. */
const steps: readonly Step[] = [
  isTimely,
  isOnOwnHost,
  isWantedPath,
  isWantedAddress,
  isNoBot,
  isNotLeftToScript,
];

export function runSteps(draft: Draft, proofs: Proofs): JudgedHit | Drop {
  for (const step of steps) {
    const dropped = step(draft, proofs);
    if (dropped) {
      const drop = typeof dropped === 'string' ? { dropped } : dropped;
      return { ...drop, tally: { projectId: draft.project.id, day: draft.day } };
    }
  }
  return draft;
}
