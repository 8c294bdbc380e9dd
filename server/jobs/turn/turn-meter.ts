import { Histogram } from '../../metrics/meter.ts';
import { addUsage, noUsage, type Usage } from '../../store/jobs/job.ts';

const minute = 60;

/** What the turns of this process took. */
export class TurnMeter {
  readonly seconds = new Histogram([1, 5, 15, 30, minute, 2 * minute, 5 * minute, 15 * minute, 60 * minute]);
  /** Ends of turns; `handed_back` ones are tried again, by this process or another. */
  readonly ends = { completed: 0, failed: 0, handed_back: 0 };
  usage: Usage = { ...noUsage };

  use(more: Usage): void {
    this.usage = addUsage(this.usage, more);
  }
}
