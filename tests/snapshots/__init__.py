"""Pictures of the dashboard, compared with those that were looked at and found good."""
