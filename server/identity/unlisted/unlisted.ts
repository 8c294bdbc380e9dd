import { namesAnotherAsEngine } from '../browser.ts';
import type { Ai, Rule } from '../identity.ts';
import { findMakerByBrand, findMakerByDomain } from './maker.ts';
import { productOf, purposeOf } from './product.ts';
import { nameOfUnlisted, unnamed } from './unlisted-name.ts';

/** What a program is: a word that means AI in any position. */
const isAi =
  'gen ?ai|llms?|gpt ?bots?|(?:auto ?)?rag|language models?|artificial intelligence|retrieval augmented|agentic';

/** Its relation to AI. */
const does =
  'bots?|crawl(?:er|ers|ing)?|spiders?|scrap(?:er|ers|ing)|search(?:bot)?|agents?|assistants?|content|training|index(?:er|ing)?|research(?:er)?|powered|workflows?|generat(?:or|ed|ion)|fetch(?:er|ing)?|readers?|chat(?:bots?)?|models?|companions?|copilots?|brows(?:er|ing)|web|data ?(?:sets?)?|answers?|summar(?:y|ies|izer)|retriev(?:al|er)|tools?|knowledge';

/** The same in words that do not say AI. */
const doesForAi =
  '(?:autonomous|coding|intelligent|browsing) (?:[a-z]{1,20} )?agents?|(?:coding|virtual|local first) assistants?|deep research(?:er)?|intelligent (?:bot|crawler)|web ?fetch(?:er|ing)?|by ai|mcp (?:clients?|servers?|fetch(?:er)?|agents?|tools?|sdk|cli|hosts?|bridge)';

/** In words that are apart, however they are written: see `wordsOf`. */
const aiWords = new RegExp(` (?:${isAi}|${doesForAi}|(?:ai|gpt) (?:[a-z]{1,20} )?(?:${does})) `);

/** How the name of such a program ends, or all of it. */
const aiName = /(?: ai| (?:[a-z]{2,20})?gpts?| mcp|(?<! home) assistants?|^ research agents?) $/;

/** Without one of these there is nothing to parse. */
const hint =
  /llm|gpt|rag|mcp|language|intelligen|agent|retriev|web.?fetch|assistant|deep.?research|(?<![a-z])ai(?![a-z])/;
const capitalHint = /A[Ii](?![a-z])/;

/** A user, the page of a crawler, or a site in .ai. */
const aiAddress = /on[-_]behalf[-_]of|\/ai-?(?:bot|crawler)\b|[a-z0-9]\.ai(?![a-z0-9.-]|\/scan)/;

/** Activities of directories, monitors, scanners and feed readers: these look at AI, or for it, and are none. */
const observes =
  / (?:monitor(?:s|ing)?|watch(?:er|ing|dog)?|uptime|status|health|healthcheck|liveness|alive|prob(?:e|es|ing)|ping(?:er)?|scan(?:s|ner|ners|ning)?|security|vulnerabilit(?:y|ies)|audit(?:s|or|ing)?|catalog(?:s|ue)?|director(?:y|ies)|registr(?:y|ies)|listings?|collectors?|scor(?:e|es|er|ing)|rank(?:s|er|ing|ings)?|benchmarks?|surveys?|census|validat(?:or|ion)|check(?:er|ers|ing)|lint(?:er)?|feeds?|rss|atom|podcasts?|observatory|explorer|stats|(?:no|not|without)(?: for)? (?:ai|llms?)) /;
const observersHost =
  /(?:uptime|status|monitor|health|scan|secur|audit|director|catalog|registr|rank|watch|check)[a-z0-9-]{0,30}\.ai(?![a-z0-9.-])/;

/**
 * The words of a text, apart and in lower case, with a space around each: `FooAIBot`, `foo_ai_bot` and `Foo AI-bot` are the
 * same. Addresses are left out.
 */
function wordsOf(text: string): string {
  const words = text
    .replace(/(?:https?:\/\/|www\.|@)[^\s;,)]{0,300}/g, ' ')
    .replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z](?!s(?![a-z]))[a-z])|[^A-Za-z0-9]{1,20}/g, ' ');
  return ` ${words.toLowerCase()} `.replace(/ {2,9}/g, ' ');
}

/**
 * Written as AI clients are: `Fresh-User` fetches for somebody who asks, after ChatGPT-User, and OpenAI's form names
 * the program behind the engine.
 */
const aiNameEnd = '-User';
const aiForm = 'like gecko); compatible;';

/** Libraries to ask a maker's service with, which read no sites. */
const sdk = /^(?:openai|anthropic|mistral|cohere|groq)\/(?:js|python|go|java|ruby|node|php|c#)/;

/** Apps on phones: an AI maker's own are people's, too. */
const app = /cfnetwork\/|dalvik\/|okhttp\/|android|iphone|ipad|(?<![a-z])ios(?![a-z])/;

/** The AI client that a user agent says it is, by its maker or in words. Of a person's browser this is not to be asked. */
export function identifyUnlisted(
  userAgent: string,
  text: string,
  knowsMaker: (operator: string) => boolean,
): Ai | undefined {
  if (sdk.test(text)) return undefined;
  const owner = findMakerByDomain(text);
  if (owner && knowsMaker(owner.operator)) return asUnlisted(userAgent, owner.operator, 'maker-address');
  const product = productOf(userAgent);
  const maker = product === undefined ? undefined : findMakerByBrand(product.toLowerCase());
  const isMakers = maker && knowsMaker(maker.operator) && !observes.test(wordsOf(product ?? ''));
  if (isMakers && (!app.test(text) || namesAnotherAsEngine(text)))
    return asUnlisted(userAgent, maker.operator, 'maker-name');
  if (saysAi(userAgent, text, product)) return asUnlisted(userAgent, 'unknown', 'self-declared');
  const isWrittenSo = product !== undefined && (product.endsWith(aiNameEnd) || text.includes(aiForm));
  return isWrittenSo ? asUnlisted(userAgent, 'unknown', 'ai-form') : undefined;
}

function saysAi(userAgent: string, text: string, product = ''): boolean {
  const hasAddress = aiAddress.test(text) && !observersHost.test(text);
  if (!hasAddress && !hint.test(text) && !capitalHint.test(userAgent)) return false;
  const words = wordsOf(userAgent);
  if (observes.test(words)) return false;
  const name = wordsOf(product);
  // `Agent` in a name alone is as often another's; with a project that anybody can run, it is an assistant's.
  const isProject = / agents? $/.test(name) && text.includes('//github.com/');
  return hasAddress || isProject || aiWords.test(words) || aiName.test(name);
}

function asUnlisted(userAgent: string, operator: string, rule: Rule): Ai {
  const token = productOf(userAgent) ?? unnamed;
  const purpose = purposeOf(token.toLowerCase());
  const client = nameOfUnlisted({ token, operator, purpose });
  const proof = operator === 'unknown' ? 'inferred' : 'claimed';
  return { kind: 'ai', client, operator, purpose, proof, rule };
}
