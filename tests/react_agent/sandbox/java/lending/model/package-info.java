@NullMarked
package org.example.lending.model;

import org.jspecify.annotations.NullMarked;
