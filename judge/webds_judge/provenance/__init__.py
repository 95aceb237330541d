"""Where an answer's values come from: seen on a page or in a served file, derived by a call, or unexplained."""
