-- As PostgreSQL has them, so that statements are the same: times as milliseconds since 1970, what people and models write as JSON.
alter table jobs add column failure text;
update jobs set failure = json_object('code', failure_code, 'message', coalesce(failure_message, ''))
  where failure_code is not null;
alter table jobs drop column failure_code;
alter table jobs drop column failure_message;
alter table jobs add column created integer not null default 0;
alter table jobs add column archived integer;
update jobs set created = coalesce(unixepoch(created_at) * 1000 + substr(created_at, 21, 3), 0),
  archived = unixepoch(archived_at) * 1000 + substr(archived_at, 21, 3);
alter table jobs drop column created_at;
alter table jobs drop column archived_at;
alter table jobs rename column created to created_at;
alter table jobs rename column archived to archived_at;

drop index turns_leased;
create index turns_leased on turns (due_at) where leased;
-- JSON, see TurnRecord: what each phase found, of which the later counts. The branch in it stands beside it, too.
alter table turns add column found text not null default '[]';
alter table turns add column branch text;
-- Where the next message of its conversation comes.
alter table turns add column next_message integer not null default 0;
update turns set prompt = json_quote(prompt), found = json_array(record), branch = record ->> 'branch', next_message = (
  select coalesce(max(position) + 1, 0) from messages m where m.job = turns.job and m.turn = turns.number);
alter table turns drop column record;
alter table turns rename column found to record;

alter table events add column moment integer not null default 0;
update events set moment = coalesce(unixepoch(at) * 1000 + substr(at, 21, 3), 0);
alter table events drop column at;
alter table events rename column moment to at;
