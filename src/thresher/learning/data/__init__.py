"""Tables to learn from: types, target, schema, missing values, outliers, splits."""
