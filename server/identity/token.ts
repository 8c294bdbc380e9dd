import { type AiClient, clients } from './catalogue.ts';
import { Words } from './words.ts';

const tokens = toWords(clients);

/** By the client whose token they carry too. */
const finer = new Map(
  clients.flatMap((client) => (client.refines ? [[client.refines, toWords([client])] as const] : [])),
);

function toWords(named: readonly AiClient[]): Words<AiClient> {
  return new Words(named.flatMap((client) => client.tokens.map((token) => [token, client])));
}

/**
 * The AI client that a user agent names first.
 *
 * @param text in lower case
 */
export function findByToken(text: string): AiClient | undefined {
  const client = tokens.find(text);
  return client && (finer.get(client.client)?.find(text) ?? client);
}

/** "SomeGPTBot", "ai-crawler", "LLM-Spider", an address like /ai-bot, or one at a maker of AI. */
const aiName =
  /gpt-?bot|(?<![a-z])(?:ai|llm|genai)[- ]?(?:bot|crawler|spider|scraper|searchbot)|-ai[- ]?(?:bot|agent)\b|\/ai-?(?:bot|crawler)\b|https?:\/\/(?:[a-z0-9-]{1,63}\.)?(?:x\.ai|openai\.com|anthropic\.com|perplexity\.ai|mistral\.ai|deepseek\.com|cohere\.(?:ai|com))\b/;

/** "MyAIBot": its capitals tell it from "Thaibot". */
const camelCaseAiName = /[a-z]AI(?:Bot|Crawler|Spider|Scraper|SearchBot|Agent)(?![a-z])/;

/** Whether a bot that nobody knows says that it is AI. Of a person's browser this is not to be asked. */
export function callsItselfAi(userAgent: string, text: string): boolean {
  return aiName.test(text) || camelCaseAiName.test(userAgent);
}
