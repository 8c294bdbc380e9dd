-- What came with a prompt besides its words.
create table job_images (
  job int not null references jobs (id) on delete cascade,
  -- From 1, over all messages of the job.
  number int not null,
  turn int not null,
  name text not null,
  -- Such as `image/png`, told by its content.
  type text not null,
  content bytea not null,
  primary key (job, number)
);
