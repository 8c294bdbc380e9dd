import { describeCommands } from '../server/command-line.ts';
import { settingGroups } from '../server/config/settings.ts';
import { describeFormats } from '../server/import/formats/formats.ts';
import { operations } from '../server/operations.ts';

// Pages that are written from what is declared: the help of the commands, and the settings of the server.

export async function commandsPage(): Promise<string> {
  const commands = await describeCommands();
  const sections = commands.map(({ name, summary, help }) => {
    // The settings have a page of their own.
    const [usage = ''] = help.split('\nSettings come from');
    return `## ${name}\n\n${asSentence(summary)}\n\n\`\`\`\n${usage.trimEnd()}\n\`\`\`\n`;
  });
  return `# Commands\n
\`headcount COMMAND --help\` prints the same. What all commands have in common is in
[configuration](configuration.md#the-command-line).\n
${sections.join('\n')}`;
}

export function routesPage(): string {
  const shown = operations.filter(({ path }) => !path.startsWith('/v1/admin'));
  const rows = shown.map(({ method, path, summary }) => {
    const route = `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;
    return `| \`${route}\` | ${asCell(summary)} |\n`;
  });
  return `# Routes\n
All routes of the HTTP API; those of the dashboard itself are not for others. Parameters, answers and errors are at
\`/docs\` of your server, and the [API](api.md) explains what they have in common.\n
| route | |
|---|---|
${rows.join('')}`;
}

export function logFormatsPage(): string {
  return `# Log formats\n
What \`headcount import\` reads. The format is detected, unless \`--format\` names it; more is in [access
logs](access-logs.md#formats).\n
| \`--format\` | what is read | |
|---|---|---|
${describeFormats().join('\n')}\n`;
}

export function settingsPage(): string {
  const groups = settingGroups.map(({ title, settings }) => {
    const rows = settings.map(
      ({ name, standard, meaning }) => `| \`${name}\` | ${asCell(standard)} | ${asCell(meaning)} |\n`,
    );
    return `## ${title}\n\n| setting | default | meaning |\n|---|---|---|\n${rows.join('')}`;
  });
  return `# Settings\n
Environment variables of the server; \`headcount serve --help\` prints the same. How they are read, and those of
projects, are in [configuration](configuration.md).\n
${groups.join('\n')}`;
}

const asSentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const asCell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '\\<').replaceAll('*', '\\*');
