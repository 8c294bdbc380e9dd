import { isbot } from 'isbot';
import type { BotFamily } from '../../shared/identity/bot-family.ts';
import { knownBots, overlookedBots } from './bot.ts';
import {
  findAndroidDevice,
  isHalfABrowser,
  isPhoneBrowser,
  isPlainBrowser,
  namesAnotherAsEngine,
} from './browser.ts';
import type { AiClient } from './catalogue.ts';
import type { Ai, Bot, Human, Identity, Rule } from './identity.ts';
import { isMistakenPerson, isPersonsProgram, isPhoneOfAProgram } from './person.ts';
import { findByToken } from './token.ts';
import { identifyUnlisted } from './unlisted/unlisted.ts';

/** Longer ones are of no browser and no crawler: the rest of them is not read, which bounds the work. */
const maxLength = 2048;

/** An app's own browser on a computer, in which a person may be reading as well as an agent. */
const inAppBrowser = 'electron/';

/** Programs of people; a name that only lists mention does not outweigh one. */
const aPersons = / safari\/\d|; wv\)|build\/|iphone|ipad|gecko\/\d/;

/** Libraries of programs, AI clients too: such a name says less than the maker's. */
const means: ReadonlySet<BotFamily> = new Set(['library', 'headless browser']);

/** Apps name the system or the engine that they run on. */
const ofAPersonsDevice =
  /android|iphone|ipad|(?<![a-z])ios \d|openharmony|cfnetwork\/\d|amiga|morphos|webkit|gecko\/|opera[/ ]|opr\/|konqueror|icab|outlook|microsoft office|upnp|\d{2,3}x\d{2,3}|deviceid/;
/** Libraries of phones with which an app asks by itself, and does not show a page. */
const appsLibrary = /(?:^|\W)(?:cfnetwork|dalvik)\/\d/;
/** Browsers name themselves in front of one as well. */
const inABrowser =
  /applewebkit|gecko\/\d|browser|^(?:mozilla|brave|chrome|duckduckgo|edge|firefox|opera|orion|vivaldi)(?![a-z])/;
/** In a comment. */
const ofAComputer = /\(.{0,200}(?:windows|win(?:32|64|10)|mac ?os|macintosh|mac 10)/;

/** On a computer, people use the apps of AI makers as well: only such a word distinguishes tools from these. */
const tool =
  /(?:cli|agents?)(?![a-z])|(?<![a-z])(?:code|codex(?! desktop)|mcp|llms?|rag|bot)(?![a-z])|fetch|crawl|scrap|spider|on-behalf-of/;

const human = (rule: Rule): Human => ({ kind: 'human', rule });
const bot = (family: BotFamily, rule: Rule): Bot => ({ kind: 'bot', family, rule });

/** The identity of a client that nothing has proved yet. */
export function asAi({ client, operator, purpose }: AiClient, proof: Ai['proof'], rule: Rule): Ai {
  return { kind: 'ai', client, operator, purpose, proof, rule };
}

/**
 * The identity by the user agent alone. The result depends on nothing else and may be cached.
 *
 * @param findClient for tests that hold clients back, as if nobody had listed them
 * @param knowsMaker for tests that hold makers back, by their operator
 */
export function identifyUserAgent(
  userAgent: string,
  findClient: (text: string) => AiClient | undefined = findByToken,
  knowsMaker: (operator: string) => boolean = () => true,
): Identity {
  const sent = userAgent.length > maxLength ? userAgent.slice(0, maxLength) : userAgent;
  if (sent.trim() === '') return bot('empty user agent', 'empty-user-agent');
  if (isPlainBrowser(sent)) return human('plain-browser');
  const device = findAndroidDevice(sent)?.toLowerCase();
  // Where only the name of the device is free, a token counts only there.
  const text = device ?? sent.toLowerCase();
  const client = findClient(text);
  const claim = client && classifyToken(client, text, device !== undefined);
  if (claim) return claim;
  if (device !== undefined) return human('android-browser');
  if (isPhoneBrowser(text) && isAppsOwn(text)) return human('phone-browser');
  const findUnlisted = () => identifyUnlisted(sent, text, knowsMaker);
  if (appsLibrary.test(text) && !inABrowser.test(text)) return findUnlisted() ?? classifyApp(text);
  return isbot(sent) ? classifySuspect(text, findUnlisted) : classifyUnsuspected(text, findUnlisted);
}

function classifyToken(client: AiClient, text: string, isDevice: boolean): Identity | undefined {
  if (client.inAppBrowser && text.includes(inAppBrowser)) return human('in-app-browser');
  if (client.attested !== false) return asAi(client, 'claimed', 'token');
  const contradicted = isDevice || (aPersons.test(text) && !text.includes('compatible;'));
  return contradicted ? undefined : asAi(client, 'claimed', 'unattested-token');
}

function classifyApp(text: string): Identity {
  const name = knownBots.find(text) ?? overlookedBots.find(text);
  return name ? bot(name.family, 'bot-name') : bot('library', 'no-browser');
}

function classifySuspect(text: string, findUnlisted: () => Ai | undefined): Identity {
  const name = knownBots.find(text);
  if (!name?.certain && isMistakenPerson(text) && !namesAnotherAsEngine(text)) return human('person');
  if (name && !means.has(name.family)) return bot(name.family, 'bot-name');
  const unlisted = findUnlisted();
  if (unlisted) return unlisted;
  return name ? bot(name.family, 'bot-name') : bot('other bot', 'isbot');
}

function classifyUnsuspected(text: string, findUnlisted: () => Ai | undefined): Identity {
  const name = overlookedBots.find(text);
  if (name && (name.certain || !isPersonsProgram(text))) return bot(name.family, 'bot-name');
  const isOther = namesAnotherAsEngine(text);
  if (!isOther && looksLikeAPersons(text)) return human('no-sign');
  if (!isOther && !beginsLikeABrowser(text) && ofAComputer.test(text))
    return (tool.test(text) && findUnlisted()) || human('no-sign');
  return findUnlisted() ?? bot('other bot', 'no-browser');
}

/** Behind a phone's browser, an app may have any name but that of a known bot, and says no `compatible`. */
function isAppsOwn(text: string): boolean {
  if (namesAnotherAsEngine(text)) return false;
  const name = knownBots.find(text);
  return (!name || name.ofPeopleToo) && !isPhoneOfAProgram(text);
}

const beginsLikeABrowser = (text: string) => /^.{0,2}(?:ozilla ?|opera)\//.test(text);

/** Browsers begin with Mozilla or Opera; other programs of people name a device or a system of theirs. */
function looksLikeAPersons(text: string): boolean {
  const looksSo = beginsLikeABrowser(text) ? !isHalfABrowser(text) : ofAPersonsDevice.test(text);
  return looksSo || isPersonsProgram(text);
}
