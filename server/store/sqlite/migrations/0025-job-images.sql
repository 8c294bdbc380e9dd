-- What came with a prompt besides its words.
create table job_images (
  job integer not null references jobs (id) on delete cascade,
  -- From 1, over all messages of the job.
  number integer not null,
  turn integer not null,
  name text not null,
  -- Such as `image/png`, told by its content.
  type text not null,
  content blob not null,
  primary key (job, number)
) strict;
