-- Sessions are read apart from the directory, which stays the same when one of them begins, is used or ends.
alter table directory_version add column sessions integer not null default 0;
