import { isbot } from 'isbot';
import { knownBots, overlookedBots } from './bot.ts';
import { findAndroidDevice, isPlainBrowser } from './browser.ts';
import { type AiClient, getClient } from './catalogue.ts';
import type { Ai, Bot, Family, Human, Identity, Rule } from './identity.ts';
import { isMistakenPerson } from './person.ts';
import { callsItselfAi, findByToken } from './token.ts';

/** Longer ones are of no browser and no crawler: the rest of them is not read, which bounds the work. */
const maxLength = 2048;

/** An app's own browser on a computer, in which a person may be reading as well as an agent. */
const inAppBrowser = 'electron/';

/** Programs of people; a name that only lists mention does not outweigh one. */
const aPersons = / safari\/\d|; wv\)|build\/|iphone|ipad|gecko\/\d/;

const unlisted = getClient('Unlisted AI crawler');
const human = (rule: Rule): Human => ({ kind: 'human', rule });
const bot = (family: Family, rule: Rule): Bot => ({ kind: 'bot', family, rule });

/** The identity of a client that nothing has proved yet. */
export function asAi({ client, operator, purpose }: AiClient, proof: Ai['proof'], rule: Rule): Ai {
  return { kind: 'ai', client, operator, purpose, proof, rule };
}

/** What the user agent alone says. The answer depends on nothing else and may be remembered. */
export function identifyUserAgent(userAgent: string): Identity {
  const sent = userAgent.length > maxLength ? userAgent.slice(0, maxLength) : userAgent;
  if (sent.trim() === '') return bot('empty user agent', 'empty-user-agent');
  if (isPlainBrowser(sent)) return human('plain-browser');
  const device = findAndroidDevice(sent)?.toLowerCase();
  // Where only the name of the device is free, only there a token may stand.
  const text = device ?? sent.toLowerCase();
  const client = findByToken(text);
  const claim = client && judgeToken(client, text, device !== undefined);
  if (claim) return claim;
  if (device !== undefined) return human('android-browser');
  return isbot(sent) ? judgeSuspect(sent, text) : judgeUnsuspected(text);
}

function judgeToken(client: AiClient, text: string, isDevice: boolean): Identity | undefined {
  if (client.inAppBrowser && text.includes(inAppBrowser)) return human('in-app-browser');
  if (client.attested !== false) return asAi(client, 'claimed', 'token');
  const contradicted = isDevice || (aPersons.test(text) && !text.includes('compatible;'));
  return contradicted ? undefined : asAi(client, 'claimed', 'unattested-token');
}

function judgeSuspect(sent: string, text: string): Identity {
  const name = knownBots.find(text);
  if (!name?.certain && isMistakenPerson(text)) return human('person');
  if (name) return bot(name.family, 'bot-name');
  if (callsItselfAi(sent, text)) return asAi(unlisted, 'inferred', 'self-declared');
  return bot('other bot', 'isbot');
}

function judgeUnsuspected(text: string): Identity {
  const name = overlookedBots.find(text);
  return name ? bot(name.family, 'bot-name') : human('no-sign');
}
