import { type JobImage, type ListedImage, type NewImage, toListedImage } from '../../jobs/job-image.ts';
import type { Database } from '../database.ts';
import type { Queryable } from '../queryable.ts';

/** Keeps what comes with a prompt; used by who has the job's row locked. */
export async function addImages(
  db: Queryable,
  job: number,
  turn: number,
  images: readonly NewImage[],
): Promise<ListedImage[]> {
  const listed: ListedImage[] = [];
  for (const image of images) {
    const { name, type, content } = image;
    const [added] = await db.query<{ number: number }>(
      `insert into job_images (job, number, turn, name, type, content)
       select $1::int, coalesce(max(number), 0) + 1, $2::int, $3::text, $4::text, $5::bytea from job_images where job = $1::int
       returning number`,
      [job, turn, name, type, content],
    );
    listed.push(toListedImage({ number: added?.number as number, ...image }));
  }
  return listed;
}

const columns = 'i.number, i.turn, i.name, i.type, i.content';

export class ImageReader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async readImages(jobId: string, turn: number): Promise<JobImage[]> {
    return await this.#database.query<JobImage>(
      `select ${columns} from job_images i join jobs j on j.id = i.job
       where j.public_id = $1 and i.turn <= $2 order by i.number`,
      [jobId, turn],
    );
  }

  async findImage(projectId: string, jobId: string, number: number): Promise<JobImage | null> {
    const [found] = await this.#database.query<JobImage>(
      `select ${columns} from job_images i join jobs j on j.id = i.job join projects p on p.id = j.project
       where p.public_id = $1 and j.public_id = $2 and i.number = $3::int`,
      [projectId, jobId, number],
    );
    return found ?? null;
  }
}
