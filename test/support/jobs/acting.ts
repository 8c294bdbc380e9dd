import type { Script } from './model/model-server.ts';

/**
 * A model that carries out prompts such as "a.md=one b.md= | A title | A summary": it writes a page, deletes one, and then says
 * the words. Later messages it answers in the same way, or with the same words.
 */
export const acting: Script = ({ body }) => {
  const messages = body.messages as { role: string; content: unknown }[];
  const prompts = messages.filter(({ role }) => role === 'user').map(({ content }) => textOf(content));
  const [actions = '', ...words] = (prompts.findLast((prompt) => / \| /.test(prompt)) ?? '').split(' | ');
  if (messages.at(-1)?.role === 'tool' || !/\.md=/.test(prompts.at(-1) ?? ''))
    return { text: words.join('\n\n') };
  const calls = [...actions.matchAll(/(\S+\.md)=(\S*)/g)].map(([, path = '', text = '']) =>
    text === ''
      ? { tool: 'delete', input: { path } }
      : { tool: 'write', input: { path, content: `${text}\n` } },
  );
  return { calls };
};

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return ((content ?? []) as { text?: string }[]).map(({ text }) => text ?? '').join('');
}
