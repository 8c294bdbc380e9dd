-- The branch that the pull request goes to, and the job's own once it was pushed.
alter table jobs add column base_branch text;
alter table jobs add column branch text;
-- Why the newest turn failed; null while the job is active, and where it did not.
alter table jobs add column failure_code text;
alter table jobs add column failure_message text;

update jobs set
  base_branch = (select record ->> 'baseBranch' from turns
    where job = jobs.id and record ->> 'baseBranch' is not null order by number desc limit 1),
  branch = (select record ->> 'branch' from turns
    where job = jobs.id and record ->> 'tip' is not null order by number desc limit 1);
update jobs set
  failure_code = (select data ->> 'reason' from events
    where job = jobs.id and type = 'failed' order by number desc limit 1),
  failure_message = (select data ->> 'message' from events
    where job = jobs.id and type = 'failed' order by number desc limit 1)
where status = 'failed';

-- The phase to which the job's next message takes a failed turn back, as its commit, or one before it, was not delivered.
alter table turns add column resumes_at text;
create index turns_to_resume on turns (job) where resumes_at is not null;

-- What the turn's agent has used so far, over all its attempts.
alter table turns add column steps integer not null default 0;
alter table turns add column input_tokens integer not null default 0;
alter table turns add column output_tokens integer not null default 0;
alter table turns add column cached_tokens integer not null default 0;

-- Whose turn it is among projects: the one with the lowest number waits the longest.
create table project_rounds (
  project integer primary key references projects (id) on delete cascade,
  round integer not null
) strict;
