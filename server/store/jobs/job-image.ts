import type { ImageType } from '../../../shared/jobs/image.ts';
import type { Sql } from '../../database/sql.ts';

/** What came with a prompt, besides its words. */
export interface NewImage {
  /** The sender's name of it. */
  name: string;
  type: ImageType;
  content: Uint8Array;
}

export interface JobImage extends NewImage {
  /** From 1, over all messages of the job. */
  number: number;
  /** The one that it came with. */
  turn: number;
}

/** Its metadata, without the content. */
export interface ListedImage {
  number: number;
  name: string;
  type: ImageType;
  bytes: number;
}

function toListedImage({ number, name, type, content }: Omit<JobImage, 'turn'>): ListedImage {
  return { number, name, type, bytes: content.byteLength };
}

/** Keeps what comes with a prompt; used by who has the job's row locked. */
export async function addImages(
  sql: Sql,
  job: number,
  turn: number,
  images: readonly NewImage[],
): Promise<ListedImage[]> {
  const [last] = await sql.query<{ number: number }>(
    'select coalesce(max(number), 0) as number from job_images where job = $1',
    [job],
  );
  const listed = images.map((image, i) => ({ ...image, number: (last?.number ?? 0) + i + 1 }));
  for (const { number, name, type, content } of listed) {
    await sql.query(
      'insert into job_images (job, number, turn, name, type, content) values ($1, $2, $3, $4, $5, $6)',
      [job, number, turn, name, type, content],
    );
  }
  return listed.map(toListedImage);
}

const columns = 'i.number, i.turn, i.name, i.type, i.content';

export function images(sql: Sql) {
  return {
    /** Those that came with the prompts of a job up to a turn, by their numbers. */
    readImages: (jobId: string, turn: number): Promise<JobImage[]> =>
      sql.query<JobImage>(
        `select ${columns} from job_images i join jobs j on j.id = i.job
         where j.public_id = $1 and i.turn <= $2 order by i.number`,
        [jobId, turn],
      ),

    /** One of them, by its number. */
    async findImage(projectId: string, jobId: string, number: number): Promise<JobImage | null> {
      const [found] = await sql.query<JobImage>(
        `select ${columns} from job_images i join jobs j on j.id = i.job join projects p on p.id = j.project
         where p.public_id = $1 and j.public_id = $2 and i.number = cast($3 as int)`,
        [projectId, jobId, number],
      );
      return found ?? null;
    },
  };
}
