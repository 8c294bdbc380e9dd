import type { PullRequest, PullRequestText } from './forge.ts';

/** Of code hosts where a draft is a pull request whose title begins in a certain way. */
export function draftTitles(mark: string, marks: RegExp) {
  const write = (title: string, draft: boolean) => (draft ? `${mark} ${title}` : title);
  return {
    write,
    read: (text: string): Pick<PullRequest, 'title' | 'draft'> => {
      const title = text.replace(marks, '');
      return { title, draft: title !== text };
    },
    /** Nothing where it stays as it is, with whatever mark a person has chosen. */
    rewrite: (pull: PullRequest, { title, draft }: PullRequestText): { title?: string } =>
      title === pull.title && draft === pull.draft ? {} : { title: write(title, draft) },
  };
}
