create or replace function copy_project() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into batch_projects values (new.id, new.buckets, new.name_changes);
  elsif tg_op = 'UPDATE' then
    update batch_projects set buckets = new.buckets, name_changes = new.name_changes where id = new.id;
  else
    delete from batch_projects where id = old.id;
  end if;
  return null;
end $$;
create or replace trigger copy after insert or delete or update of buckets, name_changes on projects
  for each row execute function copy_project();
