import { nameFamily } from '../../shared/identity/bot-family.ts';
import { findClient } from './catalogue.ts';
import type { Ai, Bot, Evidence, Findings, Identity, Rule } from './identity.ts';
import { parseUnlisted } from './unlisted/unlisted-name.ts';

/** The evidence of each rule. */
export const sights: Readonly<Record<Rule, string>> = {
  'empty-user-agent': 'it sends no user agent',
  'plain-browser': 'its user agent is that of a common browser and holds nothing else',
  'android-browser': 'its user agent is that of a browser on Android, with the name of a device',
  'phone-browser': 'its user agent is that of a browser on a phone, with the name of an app',
  token: 'its user agent says so',
  'unattested-token': 'its user agent says so, by a name that only lists mention',
  'in-app-browser': 'it is the browser inside a program, in which a person may be reading',
  person: 'its device or program has a name that only looks like that of a bot',
  'bot-name': 'its user agent holds the name of a known bot',
  'self-declared': 'its user agent says that it is AI, by a name that the catalogue does not hold',
  'ai-form': 'it is written as AI clients write theirs, and the catalogue does not hold it',
  'maker-address':
    'its user agent has an address of its operator, and a name that the catalogue does not hold',
  'maker-name': 'its name begins with one of its operator’s, and the catalogue does not hold it',
  'no-browser': 'no browser sends a user agent of this form',
  isbot: 'its user agent looks like that of a bot',
  'no-sign': 'nothing in its user agent speaks against it',
  signature: 'its signature names it',
  address: 'its address is the operator’s',
  'agent-header': 'it sends a header that only this client sends',
  'signature-agent': 'its Signature-Agent header says so',
  'page-marker': 'the page holds a mark that this client makes while it is at work',
  webdriver: 'the browser says that a program drives it (navigator.webdriver)',
  'client-hints': 'the browser calls itself headless in Sec-CH-UA',
  'accept-markdown': 'it asks for Markdown, which no browser does',
  disguise: 'it calls itself Chrome and does not behave so in two ways or more',
  'name-switching': 'its address uses the names of several operators of AI within a minute',
};

/** One sentence for people: who it is, and why. */
export function explain(identity: Identity, { findings }: Evidence): string {
  switch (identity.kind) {
    case 'human':
      return `A person: ${sights[identity.rule]}.`;
    case 'ai':
      return explainAi(identity, findings);
    case 'bot':
      return explainBot(identity);
    default:
      return identity satisfies never;
  }
}

function explainAi({ client, operator, purpose, proof, rule }: Ai, findings: Findings | undefined): string {
  // The name of an unlisted one has operator and purpose in it.
  const about = parseUnlisted(client) ? '' : ` (${operator}, ${purpose})`;
  const who = `AI client ${client}${about}, ${proof}`;
  switch (proof) {
    case 'verified':
      return rule === 'signature'
        ? `${who}: it signs its requests with the operator’s key.`
        : `${who}: ${sights[rule]}.`;
    case 'claimed':
      return `${who}: ${sights[rule]}; ${describeCheck(client, findings)}.`;
    case 'inferred':
      return `${who}: ${sights[rule]}.`;
    default:
      return proof satisfies never;
  }
}

/** Why a claim is not verified. */
function describeCheck(name: string, findings: Findings | undefined): string {
  const client = findClient(name);
  if (!client) return 'what is not listed cannot be checked';
  if (client.runsOnUserMachine) return 'it runs on its user’s machine, so that its address proves nothing';
  if (!client.ranges && !client.reverseDns && !client.signatureHosts) {
    return 'its operator publishes nothing to check it by';
  }
  return findings ? 'its address and signature could not be checked' : 'nobody checked the address';
}

function explainBot({ family, spoofed, rule }: Bot): string {
  if (spoofed === undefined) return `A bot (${nameFamily(family)}): ${sights[rule]}.`;
  const lie = rule === 'signature' ? 'its signature is not valid' : 'its address is not the operator’s';
  return `A bot (${nameFamily(family)}): it claims to be ${spoofed}, but ${lie}.`;
}
