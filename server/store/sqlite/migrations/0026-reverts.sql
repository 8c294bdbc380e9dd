-- The address of the merged pull request that a job takes back; null: it was asked for something else.
alter table jobs add column reverts text;
-- Of each at most one does so.
create unique index jobs_reverting on jobs (project, reverts) where reverts is not null and status <> 'archived';
-- By the address of their pull request it is known which jobs were merged.
create index marks_by_url on marks (project, url) where url is not null;
