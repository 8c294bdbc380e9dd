import { type CountedDropReason, countedDropReasonNames, dropReasons } from '../../shared/drop-reasons.ts';
import { botFamilies } from '../../shared/identity/bot-family.ts';
import { part } from './part.ts';

const reasons = Object.fromEntries(
  countedDropReasonNames.map((reason) => {
    const { name, description } = dropReasons[reason];
    return [reason, { name, description }];
  }),
) as Record<CountedDropReason, { name: string; description: string }>;

/** What proofs, reasons and kinds of bots are called, and what they mean. */
export const t = part('terms', {
  purposeDescriptions: {
    training: 'collects pages to train models.',
    search: 'builds an index that AI answers are based on.',
    assistant: 'fetches a page because somebody asked about it.',
    coding: 'reads documentation for a coding agent.',
    browser: 'is a browser that an AI agent uses for a person.',
  },
  proofs: { verified: 'Verified', claimed: 'Claimed', inferred: 'Inferred' },
  proofDescriptions: {
    verified: 'Its IP address, host name or signature belongs to the operator.',
    claimed: 'It gives this name, and nothing proves it.',
    inferred: 'It behaves like one: it asks for Markdown, or an agent was seen at work in the page.',
  },
  checks: {
    not_listed: 'It is not in the list of AI clients, so that nothing is known to check it against.',
    nothing_published: 'Its operator publishes nothing to check it against.',
    list_not_loaded: 'Its operator publishes its addresses, and this server has no recent copy of that list.',
    not_in_list: 'Its operator publishes its addresses, and the one that it came from was not among them.',
    name_not_confirmed: 'Its operator identifies its clients by host names, and none was confirmed.',
    not_signed: 'Its operator can sign requests, and these had no valid signature.',
    user_machine: 'It runs on its user’s machine, so that its address proves nothing.',
  },
  reasons,
  families: botFamilies,
});
