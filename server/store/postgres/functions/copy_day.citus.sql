create or replace function copy_day() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into batch_days values (new.id, new.project);
  else
    delete from batch_days where id = old.id;
  end if;
  return null;
end $$;
create or replace trigger copy_open after insert on days
  for each row when (new.salt is not null) execute function copy_day();
create or replace trigger copy_closed after update of salt on days
  for each row when (old.salt is not null and new.salt is null) execute function copy_day();
create or replace trigger copy_deleted after delete on days
  for each row when (old.salt is not null) execute function copy_day();
