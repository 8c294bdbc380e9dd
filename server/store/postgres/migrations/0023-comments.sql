-- What was made of comments and failed checks at the pull requests of jobs, so that each is worked off once.
create table heard_comments (
  job int not null references jobs (id) on delete cascade,
  -- As the code host names it, with what kind it is of.
  key text collate "C" not null,
  state text not null check (state in ('heard', 'ignored', 'limited', 'spent', 'answered')),
  primary key (job, key)
);
