import type { Statement } from 'better-sqlite3';
import { type JobImage, type ListedImage, type NewImage, toListedImage } from '../../jobs/job-image.ts';
import type { Connection } from '../connection.ts';

/** Keeps what comes with a prompt; used inside a transaction. */
export class ImageWriter {
  readonly #insert: Statement<[{ job: number; turn: number } & NewImage], { number: number }>;

  constructor(db: Connection) {
    this.#insert = db.prepare(
      `insert into job_images (job, number, turn, name, type, content)
       select @job, coalesce(max(number), 0) + 1, @turn, @name, @type, @content from job_images where job = @job
       returning number`,
    );
  }

  add(job: number, turn: number, images: readonly NewImage[]): ListedImage[] {
    return images.map((image) => {
      const { number } = this.#insert.get({ job, turn, ...image }) as { number: number };
      return toListedImage({ number, ...image });
    });
  }
}

const columns = 'i.number, i.turn, i.name, i.type, i.content';

export class ImageReader {
  readonly #list: Statement<[string, number], JobImage>;
  readonly #find: Statement<[string, string, number], JobImage>;

  constructor(db: Connection) {
    this.#list = db.prepare(
      `select ${columns} from job_images i join jobs j on j.id = i.job
       where j.public_id = ? and i.turn <= ? order by i.number`,
    );
    this.#find = db.prepare(
      `select ${columns} from job_images i join jobs j on j.id = i.job join projects p on p.id = j.project
       where p.public_id = ? and j.public_id = ? and i.number = ?`,
    );
  }

  readImages(jobId: string, turn: number): JobImage[] {
    return this.#list.all(jobId, turn);
  }

  findImage(projectId: string, jobId: string, number: number): JobImage | null {
    return this.#find.get(projectId, jobId, number) ?? null;
  }
}
