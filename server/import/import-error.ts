/**
 * Why logs cannot be imported, in a sentence for the user. `log_format`: the description of the lines is wrong;
 * `unreadable`: the file or its lines are; `day_conflict`: days hold counts that came another way; `contested`: somebody else
 * counts on the same days; `project_removed`: in the meantime.
 */
export class ImportError extends Error {
  readonly code: 'log_format' | 'unreadable' | 'day_conflict' | 'contested' | 'project_removed' | 'other_key';

  constructor(code: ImportError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
