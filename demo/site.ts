import { inOrder, type Script } from '../test/support/model-server.ts';

export const slug = 'demo/site';

/** The sample site. */
export const pages = {
  'index.md': '# Teapot\n\nSee how to [install](docs/install.md) it.\n',
  'docs/install.md': '# Install\n\nDownload the archive and unpack it.\n',
};

/** What an AI client read of it, as a web server would report it. */
export const aiReader = Array.from({ length: 3 }, (_, n) => ({
  url: 'https://teapot.example/docs/install',
  ip: `192.0.2.${n + 1}`,
  userAgent:
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)',
}));

export const prompt = 'Look which page AI clients read most, and add the command that installs Teapot to it.';

/** What the scripted model says, answer by answer. */
export const scriptedModel: Script = inOrder(
  { text: 'First I look what is read.', calls: [{ tool: 'visitors', input: { limit: 5 } }] },
  { calls: [{ tool: 'read', input: { path: 'docs/install.md' } }] },
  {
    calls: [
      {
        tool: 'edit',
        input: {
          path: 'docs/install.md',
          old: 'Download the archive and unpack it.\n',
          new: 'Download the archive and unpack it, or run `npm install --global teapot`.\n',
        },
      },
    ],
  },
  { text: 'Name the command that installs Teapot\n\nThe install page is what AI clients read most.' },
);
