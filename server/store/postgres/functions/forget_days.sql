-- Deletes the rows of closed days. Their visitors go with the partitions that they are in.
create or replace function forget_days(p_days int[]) returns void language sql as $$
  update log_days set visitors = null, day_id = null where day_id = any (p_days);
  delete from visit_views where day = any (p_days);
  delete from new_names where day = any (p_days);
  delete from name_takers where day = any (p_days);
  delete from days where id = any (p_days);
$$;
