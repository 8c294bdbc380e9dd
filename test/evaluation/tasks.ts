import type { Task } from './task.ts';
import { alreadyDocumented } from './tasks/already-documented.ts';
import { brokenSnippet } from './tasks/broken-snippet.ts';
import { changedDefault } from './tasks/changed-default.ts';
import { comments } from './tasks/comments.ts';
import { deletePage } from './tasks/delete-page.ts';
import { houseStyle } from './tasks/house-style.ts';
import { injectedPage } from './tasks/injected-page.ts';
import { injectedPath } from './tasks/injected-path.ts';
import { keptLineEnds } from './tasks/line-ends.ts';
import { missingPages } from './tasks/missing-pages.ts';
import { movedBase } from './tasks/moved-base.ts';
import { newEndpoint } from './tasks/new-endpoint.ts';
import { readMost } from './tasks/read-most.ts';
import { redChecks } from './tasks/red-checks.ts';
import { refactoring } from './tasks/refactoring.ts';
import { renameHeading } from './tasks/rename-heading.ts';
import { renamePage } from './tasks/rename-page.ts';
import { renamedFlag } from './tasks/renamed-flag.ts';
import { unknownFact } from './tasks/unknown-fact.ts';
import { unreadPages } from './tasks/unread-pages.ts';

/** What an agent has to be able to do. */
export const tasks: readonly Task[] = [
  renamePage,
  renameHeading,
  deletePage,
  renamedFlag,
  changedDefault,
  newEndpoint,
  refactoring,
  alreadyDocumented,
  brokenSnippet,
  readMost,
  missingPages,
  unreadPages,
  unknownFact,
  houseStyle,
  keptLineEnds,
  injectedPage,
  injectedPath,
  comments,
  redChecks,
  movedBase,
];
