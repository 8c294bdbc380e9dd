import { edit } from '../../support/jobs/agent/tool-calls.ts';
import { changed } from '../site-files.ts';
import type { Task } from '../task.ts';

export const refactoring: Task = {
  name: 'an internal refactoring',
  site: 'docusaurus',
  commits: [
    {
      message: 'Move the wait for health checks into a package of its own',
      files: {
        ...changed(
          'docusaurus',
          'cmd/deploy.go',
          [
            'import "example.com/ferry/internal/config"',
            'import (\n\t"example.com/ferry/internal/config"\n\t"example.com/ferry/internal/health"\n)',
          ],
          ['waitUntilHealthy(release', 'health.Wait(release'],
        ),
        'internal/health/wait.go': `package health

// Wait asks a release until it answers, or the seconds are over.
func Wait(release string, seconds int) error {
	return ask(release, seconds)
}
`,
      },
    },
  ],
  prompt: 'Bring the documentation up to date with the newest commit, where it no longer holds.',
  allowed: [],
  checks: [],
  good: {
    calls: [{ tool: 'search', input: { text: 'waitUntilHealthy' } }],
    says: 'Change nothing\n\nThe commit moves code, and nothing that readers see has changed.',
  },
  bad: [
    {
      calls: [
        edit('docs/guides/health-checks.md', 'once a second.', 'once a second, in its package health.'),
      ],
      says: 'Tell of the package health\n\nFerry asks in a package of its own.',
      fails: ['delivery', 'paths'],
    },
  ],
};
