alter function counted_days(int[], int) set plan_cache_mode = force_custom_plan;
