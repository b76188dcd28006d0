"""A harness that keeps searching for wrong answers: `make fuzz`, and a short seeded run among the tests."""
