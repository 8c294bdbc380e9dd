alter function visit_sums(int[], int, int[]) set plan_cache_mode = force_custom_plan;
