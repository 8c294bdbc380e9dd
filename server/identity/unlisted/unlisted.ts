import { anyOf, namesAnotherAsEngine } from '../browser.ts';
import type { Ai, Rule } from '../identity.ts';
import { findMakerByBrand, findMakerByDomain } from './maker.ts';
import { productOf, purposeOf } from './product.ts';
import { nameOfUnlisted, unnamed } from './unlisted-name.ts';

/** "SomeGPTBot", "ai-crawler", "LLM-Spider", "WebFetch", an address like /ai-bot, or one that ends in .ai. */
const aiWords = anyOf(
  /gpt-?bot|(?<![a-z])(?:ai|llms?|genai)[- ]?(?:bot|crawler|spider|scraper|searchbot|agent|assistant|content|training|index)/,
  /-ai[- ]?(?:bot|agent)\b|\/ai-?(?:bot|crawler)\b|(?<![a-z])(?:llms?|genai|mcp|(?:auto)?rag)(?![a-z])/,
  /web-?fetch(?![a-z])|on-behalf-of|coding-agent|[a-z0-9]\.ai(?![a-z0-9.-]|\/scan)|intelligent[- ](?:bot|agent|crawler)/,
);

/** "MyAIBot", "UseAI": its capitals tell it from "Thaibot". */
const camelCaseAiName = /[a-z ]AI(?:Bot|Crawler|Spider|Scraper|SearchBot|Agent|Web)?(?![A-Za-z])/;

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
  const brand = product?.toLowerCase();
  const maker = brand === undefined ? undefined : findMakerByBrand(brand);
  if (maker && knowsMaker(maker.operator) && (!app.test(text) || namesAnotherAsEngine(text)))
    return asUnlisted(userAgent, maker.operator, 'maker-name');
  const isDeclared = aiWords.test(text) || camelCaseAiName.test(userAgent);
  if (isDeclared) return asUnlisted(userAgent, 'unknown', 'self-declared');
  const isWrittenSo = product !== undefined && (product.endsWith(aiNameEnd) || text.includes(aiForm));
  return isWrittenSo ? asUnlisted(userAgent, 'unknown', 'ai-form') : undefined;
}

function asUnlisted(userAgent: string, operator: string, rule: Rule): Ai {
  const token = productOf(userAgent) ?? unnamed;
  const purpose = purposeOf(token.toLowerCase());
  const client = nameOfUnlisted({ token, operator, purpose });
  const proof = operator === 'unknown' ? 'inferred' : 'claimed';
  return { kind: 'ai', client, operator, purpose, proof, rule };
}
