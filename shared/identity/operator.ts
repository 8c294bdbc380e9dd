/** Who runs an assistant, by the assistant's name and as the catalogue of AI clients calls the operator. */
const operators: ReadonlyMap<string, string> = new Map([
  ['ChatGPT', 'OpenAI'],
  ['Claude', 'Anthropic'],
  ['Perplexity', 'Perplexity'],
  ['Gemini', 'Google'],
  ['NotebookLM', 'Google'],
  ['Microsoft Copilot', 'Microsoft'],
  ['Grok', 'xAI'],
  ['Meta AI', 'Meta'],
  ['Mistral', 'Mistral AI'],
  ['DeepSeek', 'DeepSeek'],
  ['You.com', 'You.com'],
  ['Duck.ai', 'DuckDuckGo'],
  ['Qwen', 'Alibaba'],
  ['ChatGLM', 'Zhipu AI'],
  ['iAsk', 'iAsk'],
  ['Ernie', 'Baidu'],
]);

/** An assistant that is not listed is its own operator. */
export function operatorOf(assistant: string): string {
  return operators.get(assistant) ?? assistant;
}
