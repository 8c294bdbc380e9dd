-- Takes the throw-away salts away that are due at `p_now`, and those of these days. Answers what is to be forgotten, also
-- what an earlier call left behind.
create or replace function close_imported(p_project text, p_now bigint, p_done int[]) returns table (id int) language sql as $$
  update days d set salt = null from projects p
  where p.public_id = p_project and d.project = p.id
    and (d.forget_at <= p_now or (d.forget_at is not null and d.day = any (p_done)))
  returning d.id
$$;
